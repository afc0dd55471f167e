"""The specification of each game, ``SPEC.md`` in its folder, made from its code."""

from __future__ import annotations

import inspect
import json
from pathlib import Path

from tables import RESULTS, ROOT, table

from azul_duel_env.agents import agents_of
from azul_duel_env.envs.options import REWARDS
from azul_duel_env.envs.registration import gymnasium_id, module_of
from azul_duel_env.game import Game
from azul_duel_env.game.options import offered_options
from azul_duel_env.games import GAMES, find_game

ABOUT = {
    "azul/duel-v0": (
        "Two players, five rounds. A turn is one of four actions: take the tiles of a colour from a sun, or from all moons, or take a dome "
        "tile, or a bonus chip. Taken tiles go to a pattern line, and each full line puts a tile on the dome, which is built of dome tiles "
        "meanwhile. Tiles score by the runs that they make, broken ones cost points, and scoring tiles score at the end. *Hidden*: dome "
        "tiles that a player drew, looked at and put back. *Chance*: tiles of the bag, dome tiles of the stack, bonus chips, scoring "
        "tiles, who begins.",
        "configs/results/board.svg",
    ),
    "azul/pavilion_mini-v0": (
        "Two to four players, six rounds, in each of which another colour is wild. First tiles are taken from factories and the centre, "
        "then placed on seven stars: a space with the number n costs n tiles. Tiles score by the groups that they make; full stars and "
        "numbers score at the end; surrounded pillars, statues and windows bring tiles at once. *Hidden*: nothing. *Chance*: tiles of the "
        "bag, who begins.",
        "docs/pages/images/pavilion_mini.svg",
    ),
}
"""Game -> what it is, and a picture of it."""


def variants_of(game: Game) -> list[Game]:
    """Return a game for each number of players."""
    return [game.of({"num_players": number}) for number in game.player_counts]


def each(games: list[Game], fact: str) -> str:
    """Return a fact, or one for each number of players where they differ."""
    values = [getattr(game, fact) for game in games]
    if len(set(values)) == 1:
        return f"{values[0]:,}"
    return " / ".join(f"{value:,}" for value in values)


def facts(games: list[Game]) -> str:
    game = games[0]
    rows: list[list[object]] = [
        ["PettingZoo", f"`{game.id}`, or `azul_duel_env.{module_of(game.id).rpartition('.')[2]}.env()`"],
        ["Gymnasium", f"`{gymnasium_id(game.id)}`"],
        ["players", " / ".join(str(number) for number in game.player_counts)],
        ["actions", each(games, "num_actions")],
        ["observation", f"float32, {each(games, 'observation_size')}"],
        ["decisions in a game", f"at most {each(games, 'max_decisions')}"],
        ["draws in a game with explicit chance", f"at most {each(games, 'max_draws')}, of {each(games, 'max_outcomes')} outcomes at most"],
        ["points", f"0 to {each(games, 'max_points')}"],
        ["bytes of a state", " / ".join(str(one.state.itemsize) for one in games)],
    ]  # fmt: skip
    return table(["", "by number of players" if len(games) > 1 else ""], rows)


def options(game: Game) -> str:
    rows: list[list[object]] = []
    if game.variants:
        counts = ", ".join(f"`{number}`" for number in game.player_counts)
        rows.append(["`num_players`", counts, "Number of players; fixed when an environment is made."])
    for one, offer in offered_options(game.options):
        usual = ", ".join(one.default) if isinstance(one.default, tuple) else repr(one.default)
        words = [f'`"{value}"`' for value in sorted(offer.values, key=lambda value: value != one.default)]
        rows.append([f"`{one.name}`", ", ".join(words) or f"`{usual}`", offer.help])
    rows.append(["`first_player`", "`None`", "Who begins; a random player if it is None."])
    rows.append(
        ["`explicit_chance`", "`False`", "Whether the game stops at every draw and takes the outcome as given."]
    )
    return table(["option", "values, the usual one first", "what it does"], rows)


def actions(game: Game) -> str:
    rows: list[list[object]] = []
    for block in game.make_abstraction().blocks:
        shape = " x ".join(map(str, block.shape)) + (f" ({block.axes})" if block.axes else "")
        last = block.first + block.size - 1
        ids = str(last) if block.size == 1 else f"{block.first}-{last}"
        example = game.text.action_name(block.first + block.size // 2)
        rows.append([ids, f"`{block.name}`", shape, block.when, f"`{example}`"])
    return table(["ids", "block", "shape", "when", "for example"], rows)


def observation(games: list[Game]) -> str:
    rows: list[list[object]] = []
    for blocks in zip(*(game.observation_blocks for game in games), strict=True):
        shapes = dict.fromkeys(" x ".join(map(str, block.shape)) for block in blocks)
        begins = dict.fromkeys(str(block.first) for block in blocks)
        rows.append([" / ".join(begins), f"`{blocks[0].name}`", " / ".join(shapes), blocks[0].meaning])
    return table(["from", "block", "shape", "meaning"], rows)


def sub_decisions(game: Game) -> str:
    choices = inspect.getmodule(game.abstraction.make).CHOICES  # type: ignore[union-attr]
    rows: list[list[object]] = []
    for option, values in choices.items():
        for value, text in values.items():
            asked = game.make_abstraction(**{option: value})
            rows.append([f"`{option}`", f'`"{value}"`', text, asked.num_actions, asked.observation_size])
    return table(["option", "value", "what is asked", "actions", "observation"], rows)


def events(game: Game) -> str:
    rows: list[list[object]] = [
        [f"`{name}`", kind.meaning.split("\n")[0].replace("``", "`"), ", ".join(kind.fields)]
        for name, kind in game.events.kinds.items()
    ]
    return table(["event", "what happened", "tells, besides `player` and `points`"], rows)


def rewards() -> str:
    rows: list[list[object]] = [[f'`"{name}"`', text] for name, text in REWARDS.items()]
    return table(["`reward`", "what it gives"], rows)


def environment(game: Game) -> str:
    """Return how an environment of the game is made."""
    module, given = module_of(game.id), f"num_players={game.num_players}" if game.variants else ""
    name = module.rpartition(".")[2]
    return (
        f"```python\nimport gymnasium\n\nfrom azul_duel_env import {name}\n\n"
        f"aec = {name}.env({given})\n"
        f'env = gymnasium.make("{gymnasium_id(game.id)}"{given and f", {given}"})\n```'
    )


def agents(game: Game) -> str:
    return table(["agent", "what it does"], [[f"`{spec}`", text] for spec, text in agents_of(game).items()])


def statistics(folder: Path) -> str:
    """Return how agents play against themselves, from files of ``azul statistics AGENT --json``; "" without one."""
    plays = [json.loads(path.read_text(encoding="utf-8")) for path in sorted(folder.glob("statistics_*.json"))]
    if not plays:
        return ""
    plays.sort(key=lambda found: found["score_mean"])
    bonuses = next(name for name, value in plays[0].items() if isinstance(value, dict) and name != "points")
    rows: list[list[object]] = [
        ["games", *(found["games"] for found in plays)],
        ["decisions a game", *(f"{found['decisions_mean']:.0f} ± {found['decisions_sd']:.0f}" for found in plays)],
        ["**score**", *(f"**{found['score_mean']:.1f}** ± {found['score_sd']:.1f}" for found in plays)],
        ["points at the start", *(f"{found['start']:+.1f}" for found in plays)],
    ]
    rows += [
        [name.replace("_", " "), *(f"{found['points'][name]:+.1f}" for found in plays)] for name in plays[0]["points"]
    ]
    for name in plays[0][bonuses]:
        found = [play[bonuses][name] for play in plays]
        rows.append([f"`{name}`", *(f"{one['points_mean']:+.1f}, reached {one['reached']:.0%}" for one in found)])
    begun = [play["first_player"] for play in plays]
    rows.append(["whoever began won", *(f"{rate:.0%} [{low:.0%}, {high:.0%}]" for rate, low, high in begun)])
    return table(["", *(f"`{play['agent']}`" for play in plays)], rows)


def all_statistics(games: list[Game]) -> str:
    """Return the statistics for each number of players."""
    parts = []
    for game in games:
        folder = RESULTS / game.package.rpartition(".")[2] / f"{game.num_players}_players" if game.variants else RESULTS
        found = statistics(folder)
        if found:
            parts.append(f"### {game.num_players} players\n\n{found}" if game.variants else found)
    return "\n\n".join(parts)


def spec(game_id: str) -> str:
    """Return the specification of a game."""
    games = variants_of(find_game(game_id))
    game, (about, picture) = games[0], ABOUT[game_id]
    with_players = ", `/` between the numbers of players" if len(games) > 1 else ""
    parts: list[tuple[str, str]] = [
        ("", about),
        ("", f"![A game, and the last move]({'../' * 3}{picture})"),
        ("", facts(games)),
        ("Environments", environment(game)),
        ("Options", options(game)),
        (
            "Actions",
            f"{actions(game)}\n\nIds run row-major through each block. `GAME.text.action_name(action)` and `GAME.text.parse_action(name)` "
            "translate.",
        ),
        (
            "Observation",
            f"{observation(games)}\n\nfloat32 in [0, 1]{with_players}. `GAME.text.unflatten(observation)` gives these blocks by name, "
            "with their shapes. It holds all that the player may know and nothing else, and the action mask is a function of it.",
        ),
        (
            "Sub-decisions",
            "How finely the game is asked is an option of every environment, and of the wrapper `azul_duel_env.wrappers.SubDecisions`. "
            f"The first value is the usual one; sizes are those for {game.num_players} players.\n\n{sub_decisions(game)}",
        ),
        (
            "Rewards",
            "Parts of `reward=`; a mapping adds parts with weights. An episode ends with the game, terminated, after at most the "
            f"decisions above; a bound of one's own truncates.\n\n{rewards()}",
        ),
        ("Events", f"What `position.events(action)` and `position.outcome_events(outcome)` tell.\n\n{events(game)}"),
        ("Agents", agents(game)),
    ]  # fmt: skip
    played = all_statistics(games)
    if played:
        parts.append(("Statistics of play", f"Each agent against itself, `azul statistics`.\n\n{played}"))
    made = (
        "Made from the code by `python docs/generate`; the rules are in [RULES.md](RULES.md), what they leave open in "
        "[RULINGS.md](RULINGS.md)."
    )
    head = f"# {game.title}: specification\n\n{made}"
    return "\n\n".join([head, *(f"## {title}\n\n{text}" if title else text for title, text in parts)]) + "\n"


def path_of(game_id: str) -> Path:
    """Return where the specification of a game lies."""
    return ROOT.joinpath(*GAMES[game_id].split(".")) / "SPEC.md"


def written() -> dict[Path, str]:
    """Return the specification of every game by its file."""
    return {path_of(game_id): spec(game_id) for game_id in GAMES}
