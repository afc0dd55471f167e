"""Games in words, for language models: what the player who decides sees, the legal actions by name, and how an answer is read.

Example::

    position = game.new(seed=1)
    while not position.over:
        position.step(read_answer(position, model(prompt(position))))

``TextAgent`` plays whole matches by a function ``text -> text``; ``wrappers.TextWrapper`` is the same for the Gymnasium environment.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from difflib import get_close_matches

import numpy as np

from azul_duel_env.game import Position

Answer = Callable[[str], str]
"""``prompt -> answer``: a language model, or what stands for one."""

TRIES = 3
"""How often an agent is asked for an action that there is, before its game ends with an error."""
SHOWN = 12  # actions in a message


class AnswerError(ValueError):
    """An answer that names no legal action; the message says which would be like it, and nothing has changed."""


def prompt(position: Position) -> str:
    """Return what the player who decides sees and may do, and nothing that is hidden from that player.

    Raises:
        ValueError: no player decides.
    """
    if position.player < 0:
        raise ValueError(f"there is nothing to ask: {position!r}")
    return prompt_for(position, position.player, [name for _, name in position.named_actions()])


def prompt_for(position: Position, player: int, names: Iterable[str]) -> str:
    """Return what a player sees, with the names of the actions to choose from; without any the game is over."""
    seen = f"{position.view(player)}\nYou are player {player}."
    listed = "".join(f"\n{name}" for name in names)
    return f"{seen} Answer with one of these actions, alone on the last line:{listed}\n" if listed else f"{seen}\n"


def read_answer(position: Position, answer: str) -> int:
    """Return the action that the last line of an answer names; capitals, spaces, quotes and a full stop after it don't matter.

    Raises:
        AnswerError: it names none, or one that isn't legal.
    """
    return read_name(answer, dict(map(reversed, position.named_actions())))  # type: ignore[arg-type]


def read_name(answer: str, actions: dict[str, int]) -> int:
    """Return the action whose name stands in the last line of an answer; see ``read_answer``.

    Args:
        answer: any text.
        actions: name -> action, of those that are legal.

    Raises:
        AnswerError: none of them.
    """
    lines = [_plain(line) for line in answer.splitlines() if _plain(line)]
    if not lines:
        raise AnswerError(f"expected the name of an action, not an empty answer; legal are {_listed(list(actions))}")
    by_plain = {_plain(name): name for name in actions}
    if lines[-1] in by_plain:
        return actions[by_plain[lines[-1]]]
    like = [by_plain[name] for name in get_close_matches(lines[-1], by_plain, SHOWN)]
    hint = f"legal and like it are {_listed(like)}" if like else f"legal are {_listed(list(actions))}"
    raise AnswerError(f"{lines[-1]!r:.200} is no legal action; {hint}")


def _plain(text: str) -> str:
    """Return a name as names are compared."""
    return " ".join(text.lower().split()).strip("`'\"*. ")


def _listed(names: list[str]) -> str:
    more = f"; and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
    return "; ".join(names[:SHOWN]) + more


@dataclass(frozen=True)
class TextAgent:
    """An agent that reads a prompt and answers in words. After an answer that can't be read it is asked again, with what was wrong.

    Attributes:
        spec: the text that names it.
        answer: ``prompt -> answer``.
        tries: how often it is asked for one action.
    """

    spec: str
    answer: Answer
    tries: int = TRIES

    def act(self, position: Position, key: np.uint64) -> int:  # noqa: ARG002 # randomness is its own affair
        """Return a legal action for the player to decide. The position is not changed.

        Raises:
            ValueError: no player decides.
            AnswerError: no answer named a legal action; the message is that of the last one.
        """
        text = asked = prompt(position)
        for _ in range(self.tries - 1):
            try:
                return read_answer(position, self.answer(asked))
            except AnswerError as error:
                asked = f"{text}\nYour last answer could not be read: {error}\n"
        return read_answer(position, self.answer(asked))
