"""The game in text, for terminals and ssh: the board, and legal choices by number, one step after the other."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from rich.console import Console
from rich.table import Table
from rich.text import Text

from azul_duel_env.game import Event
from azul_duel_env.play.breakdown import breakdown_of
from azul_duel_env.play.choices import Choice, Step, choices_of, steps_after
from azul_duel_env.play.new_game import HUMAN, SessionError
from azul_duel_env.play.page_data import hint_data
from azul_duel_env.play.reports import describe_events, move_scenes, result_of
from azul_duel_env.play.saves import Autosave
from azul_duel_env.play.session import Session
from azul_duel_env.play.session_file import write_session
from azul_duel_env.system.reading import user_path

HELP = """a number    the choice with this number
Enter       one step back
undo        take back your last decision; redo plays it again
hint        what a search would play
board       show the board again
log         all moves so far
save FILE   write a game file, for azul-duel play --load, replay and analyse
help, quit"""


class Quit(Exception):  # noqa: N818 # no error
    """The person leaves."""


class Terminal:
    """A game in a terminal.

    Args:
        session: the game.
        saves: keeps it after each decision.
        console: shows it; ``console.input`` asks.
        adviser: spec of the search that gives hints; that of ``Game.adviser`` if left out.
    """

    def __init__(self, session: Session, saves: Autosave, console: Console, adviser: str | None = None) -> None:
        self._session, self._saves, self._console, self._adviser = session, saves, console, adviser
        self._reported = len(session.moves)
        self._commands: dict[str, Callable[[str], None]] = {
            "undo": self._undo,
            "redo": self._redo,
            "hint": self._hint,
            "board": lambda _: self._show_board(),
            "log": self._log,
            "save": self._save,
            "help": lambda _: self._console.print(HELP, markup=False),
        }

    def run(self) -> None:
        """Play to the end, or until the person leaves."""
        session = self._session
        seed = "none" if session.setup.seed is None else session.setup.seed
        who = " - ".join(f"{name} (player {seat})" for seat, name in enumerate(session.names))
        self._console.print(f"{session.game.full_title}: {who}, seed {seed}. help shows the commands.", markup=False)
        while True:
            while not session.over:
                if session.turn == HUMAN:
                    self._decide()
                else:
                    self._let_agent_decide()
            self._report_moves()
            self._show_board()
            self._show_breakdown()
            if not session.people or not self._goes_back():
                return

    def _let_agent_decide(self) -> None:
        try:
            with self._console.status(f"{self._session.turn} is thinking"):
                action = self._session.thought()()
        except SessionError as error:
            if not self._session.people:
                raise
            self._say(str(error))
            words = self._input("Enter: ask it again; undo, save FILE, log, or quit > ")
            if words:
                self._obey(words, f"expected {', '.join(self._commands)} or quit")
            return
        self._session.play(action)
        self._keep()

    # A decision ---------------------------------------------------------------------------
    def _decide(self) -> None:
        """Ask for one decision, part by part, until it is made or a command has changed the game."""
        self._report_moves()
        self._show_board()
        session, position = self._session, self._session.position
        choices = choices_of(position, session.names)
        picked: list[Step] = []
        while session.position is position and session.turn == HUMAN:
            steps = steps_after(choices, [step.part.key for step in picked])
            self._show_steps(steps, picked)
            step = self._ask(steps, back=bool(picked), changed=lambda: session.position is not position)
            if step is None:
                picked = picked[:-1]
                continue
            picked.append(step)
            found = _finished(step, len(picked))
            if found is not None:
                session.play(found.action)
                self._keep()
                return

    def _show_steps(self, steps: list[Step], picked: list[Step]) -> None:
        session = self._session
        who = session.names[session.position.player]
        asked = session.game.display.question(session.position.states[0])
        self._console.print(Text(" -> ".join(step.part.label for step in picked) or f"{who}: {asked}", style="bold"))
        for number, step in enumerate(steps, 1):
            self._console.print(f"{number:3}  {step.part.label}", markup=False)

    def _ask(self, steps: list[Step], back: bool, changed: Callable[[], bool]) -> Step | None:
        """Return the step that the person picks, or None: one back, or a command has changed the game."""
        while True:
            words = self._input(f"1-{len(steps)}{', Enter: back' if back else ''}, or a command > ")
            if words.isascii() and words.isdigit() and len(words) < 6 and 1 <= int(words) <= len(steps):
                return steps[int(words) - 1]
            if not words and back:
                return None
            if words:
                self._obey(words, f"expected a number from 1 to {len(steps)}, or {', '.join(self._commands)} or quit")
            if changed():
                return None

    def _input(self, prompt: str) -> str:
        return self._console.input(prompt, markup=False).strip()

    def _obey(self, words: str, expected: str) -> None:
        """Carry out a command."""
        name, _, argument = words.partition(" ")
        if name.lower() in ("quit", "q", "exit"):
            raise Quit
        command = self._commands.get(name.lower())
        if command is None:
            self._say(f"{expected}, not {words!r}")
            return
        try:
            command(argument.strip())
        except (ValueError, OSError) as error:
            self._say(str(error))

    def _goes_back(self) -> bool:
        """At the end, ask for commands; return whether one has taken back a decision."""
        while self._session.over:
            words = self._input("undo, save FILE, log, or quit > ")
            if words:
                self._obey(words, f"expected {', '.join(self._commands)} or quit")
        return True

    # Commands -----------------------------------------------------------------------------
    def _undo(self, _: str) -> None:
        self._session.undo()
        self._reported = len(self._session.moves)
        self._keep()

    def _redo(self, _: str) -> None:
        self._session.redo()
        self._keep()

    def _hint(self, _: str) -> None:
        with self._console.status("looking ahead"):
            hint = hint_data(self._session, self._session.hint(self._adviser))
        words = f"Hint of {hint['agent']}: {hint['words']}"
        margin = f"expected margin at the end of the round {hint['margin']:+}"
        value = f"value {hint['value']:+}. {hint['value_meaning']}"
        expected = [f"then: {then}" for then in hint["variation"][1:]]
        self._console.print("\n".join([words, margin, value, *expected]), markup=False, style="yellow")

    def _log(self, _: str) -> None:
        session = self._session
        self._print_events(session.opening_events())
        for number in range(len(session.moves)):
            self._print_move(number, f"{number + 1:3}  ", "")

    def _save(self, argument: str) -> None:
        if not argument:
            raise ValueError("expected the name of a file: save my.game")
        write_session(self._session, user_path(argument))
        self._console.print(f"wrote {argument}", markup=False)

    def _keep(self) -> None:
        """Keep the game of people on disk; play goes on without."""
        try:
            self._saves.keep(self._session)
        except OSError as error:
            self._say(f"the game can't be kept: {error}")

    # Showing ------------------------------------------------------------------------------
    def _say(self, trouble: str) -> None:
        self._console.print(trouble, style="red", markup=False)

    def _report_moves(self) -> None:
        """Say what was played since the last time, and what happened then."""
        for number in range(self._reported, len(self._session.moves)):
            self._print_move(number, "* ", "italic")
        self._reported = len(self._session.moves)

    def _print_move(self, number: int, head: str, style: str) -> None:
        """Print a move, and what followed it; what a round has brought stands out."""
        for scene in move_scenes(self._session, number):
            if not scene.follows:
                self._console.print(f"{head}{scene.words}", markup=False, style=style)
            elif scene.card is None:
                self._console.print(f"     {scene.words}", markup=False, style="dim")
            else:
                self._console.print(f"     {scene.card.words}", markup=False, style="bold")
            for sentence in scene.told:
                self._console.print(f"     {sentence}", markup=False, style="dim")

    def _print_events(self, events: Iterable[Event]) -> None:
        """Print what happened besides an action, each sentence on a line below it."""
        for sentence in describe_events(self._session, events):
            self._console.print(f"     {sentence}", markup=False, style="dim")

    def _show_board(self) -> None:
        self._console.print()
        self._console.print(coloured(str(self._session.position), self._session.game.display.board_colours))

    def _show_breakdown(self) -> None:
        """Show who won, and where points come from."""
        session = self._session
        players, sources = breakdown_of(session), session.game.breakdown.sources
        table = Table("points", *session.names)
        table.add_row("at the start", *(str(player.start) for player in players))
        for name, words in sources.items():
            table.add_row(words, *(f"{player.sources[name]:+}" for player in players))
        for name in players[0].bonuses:
            table.add_row(
                f"  {name.replace('_', ' ')}", *(f"{player.bonuses[name]:+}" for player in players), style="dim"
            )
        table.add_row("score", *(str(player.score) for player in players), style="bold")
        if len(session.names) > 2:
            table.add_row("place", *map(str, session.position.ranks), style="bold")
        self._console.print(table)
        self._console.print(f"{result_of(session, past=True)}.", style="bold", markup=False)


def _finished(step: Step, depth: int) -> Choice | None:
    """Return the choice that is complete after a step, or None."""
    [first, *others] = step.choices
    return first if not others and len(first.parts) == depth else None


def coloured(board: str, colours: Mapping[str, str]) -> Text:
    """Return the board with what the expressions find in its colour; see ``Display.board_colours``."""
    text = Text(board, no_wrap=True)
    for pattern, colour in colours.items():
        text.highlight_regex(pattern, f"bold {colour}")
    return text


def play_in_terminal(session: Session, saves: Autosave, console: Console, adviser: str | None = None) -> None:
    """Play a game in the terminal, to the end or until quit, Ctrl-C or the end of the input."""
    try:
        Terminal(session, saves, console, adviser).run()
    except (Quit, KeyboardInterrupt, EOFError):
        console.print()
    if session.people and session.moves and saves.file is not None:
        console.print(
            f"The game is kept in {saves.file}: azul-duel play --resume goes on.", markup=False, soft_wrap=True
        )
