"""What was measured and played: tables of training, ladders, statistics, speed and analysis, from files and from code."""

from __future__ import annotations

import io
import json
from pathlib import Path

import specs
from tables import RESULTS, ROOT, fenced, gap_text, rate_text, table

from azul_duel_env.games import find_game

BENCH = ROOT / "configs" / "bench_reference.json"


def matches(played: dict[str, dict[str, float]]) -> str:
    head = ["opponent", "games", "wins", "draws", "losses", "win rate, 95% interval", "score", "opponent's"]
    rows = []
    for opponent, s in played.items():
        scores = [f"{s[f'{whose}_mean']:.1f} ± {s[f'{whose}_sd']:.1f}" for whose in ("score", "opponent_score")]
        rows.append([f"`{opponent}`", s["games"], s["wins"], s["draws"], s["losses"], rate_text(s), *scores])
    return table(head, rows)


def training(name: str) -> str:
    run = json.loads((RESULTS / f"{name}.json").read_text(encoding="utf-8"))
    first, last = run["evaluations"][0], run["evaluations"][-1]
    when = f"After {first['steps']:,} decisions" if first["steps"] else "Before training"
    early = ", ".join(f"{first[name]['win_rate']:.0%} against `{name}`" for name in run["final"])
    return (
        f"After {last['steps']:,} decisions of the learner, {run['seconds'] / 60:.0f} minutes:\n\n"
        f"{matches(run['final'])}\n\n{when} it won {early}."
    )


def ladder(name: str, players: int | None = None) -> str:
    with_players = f" --players {players}" if players else ""
    command = "azul-duel ladder" if name == "duel" else f"azul ladder --game {name}{with_players}"
    return ladder_table(find_game(name, players).ladder, command)


def scaling(name: str) -> str:
    """Return the ladder of one search with several budgets."""
    return ladder_table(RESULTS / f"scaling_{name}.json", f"azul ladder --game {name} --scaling scaling_{name}.png")


def ladder_table(file: Path, command: str) -> str:
    from azul_duel_env.arena.report import interval_text

    if not file.exists():
        return "The reference ladder is still to be played."
    data = json.loads(file.read_text(encoding="utf-8"))
    head = ["agent", "rating", "95% interval", "above the next", "win rate", "score", "ms a decision", "games"]
    rows: list[list[object]] = []
    for r in data["ratings"]:
        own = "" if r["agent"] == data["anchor"] else interval_text(r["low"], r["high"])
        score = f"{r['score_mean']:.1f} ± {r['score_sd']:.1f}"
        speed = f"{1000 * r['seconds_per_decision']:.3g}"
        rows.append(
            [
                f"`{r['agent']}`",
                f"{r['rating']:.0f}",
                own,
                gap_text(r),
                f"{r['win_rate']:.1%}",
                score,
                speed,
                r["games"],
            ]
        )
    first = data["first_player"]
    reach = "" if data["reach"] is None else f" --reach {data['reach']}"
    return (
        f"`{command} {' '.join(data['agents'])} --games {data['games_of_a_pair']} --seed {data['seed']}{reach}`:\n\n"
        f"{table(head, rows)}\n\nWhoever began round 1 won {first['win_rate']:.1%} [{first['low']:.1%}, {first['high']:.1%}], draws half."
    )


def statistics() -> str:
    return specs.statistics(RESULTS)


def strongest() -> str:
    played = {}
    for opponent in ("greedy", "random"):
        text = (RESULTS / f"network_mcts_200_{opponent}.json").read_text(encoding="utf-8")
        [played[opponent]] = json.loads(text)
    return f"`azul-duel tournament network+mcts:200 OPPONENT --seed 4`:\n\n{matches(played)}"


def board() -> str:
    from azul_duel_env.agents import make_agent
    from azul_duel_env.games.duel import GAME
    from azul_duel_env.jit.rng import keys_from_seed

    agent, position = make_agent(GAME, "greedy"), GAME.new(7)
    for key in keys_from_seed(7, 400):
        state = position.states[0]
        if state["round_number"] == 3 and state["decisions"] > 90 and state["stage"] == 5:
            break
        position.step(agent.act(position, key))
    return fenced(str(position))


def analysis() -> str:
    """Return what the commands above this part print: the games of a tournament with seed 1, the first of them analysed."""
    from rich.console import Console

    from azul_duel_env.arena import play_game, seeds_of_match
    from azul_duel_env.arena.game_file import record_game
    from azul_duel_env.games.duel import GAME
    from azul_duel_env.tools.analysis import Analysis, analyse_game, decisions_table, summary_line

    [seed], agents = seeds_of_match(1, 1), ("greedy", "random")
    record = record_game(GAME, seed, play_game(GAME, agents, seed).actions, players=agents)
    found = Analysis(GAME.id, agents, "mcts:200", 1, tuple(analyse_game(record, "mcts:200")))
    console = Console(width=120, file=io.StringIO())
    console.print(decisions_table([one for one in found.decisions if one.loss >= 0.1], found.agent))
    lines = [line.rstrip() for line in console.file.getvalue().splitlines() if line.strip()]
    lines += [summary_line(summary) for summary in found.summaries()]
    return fenced("\n".join(lines))


def speed() -> str:
    """Return the figures of ``azul-duel bench --json configs/bench_reference.json``."""
    from azul_duel_env.tools.bench import search_line

    figures = json.loads(BENCH.read_text(encoding="utf-8"))
    machine, versions = figures["machine"], figures["machine"]["versions"]
    rows = [[figures["texts"][name], f"{value:,}"] for name, value in figures["decisions_per_second"].items()]
    ratios = "; ".join(f"{name.replace('/', ' / ')} = {value:,.1f}" for name, value in figures["ratios"].items())
    facts = figures["facts"]
    search = [search_line(figures["search"])] if "search" in figures else []
    used = ", ".join(f"{name} {version}" for name, version in versions.items() if name != "azul_duel_env")
    return "\n\n".join(
        [
            table(["what", "decisions a second"], rows),
            *search,
            f"Ratios: {ratios}.",
            f"Machine: {machine['processor']}, {machine['cores']} cores, Python {machine['python']}, {used}. "
            f"A state has {facts['bytes_per_state']} bytes; random games have {facts['decisions_per_game']} decisions and "
            f"{facts['legal_actions_mean']} legal actions at each, {facts['legal_actions_max']} at most.",
        ]
    )
