"""TensorBoard's files of a run that goes on from a checkpoint."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from azul_duel_env.system.files import replaced

LENGTH, HEAD, TAIL = (
    8,
    12,
    4,
)  # bytes of a record: its length, that with its checksum before the event, and a checksum after it
EVALUATION = "evaluation/"
"""How tags of what evaluations log begin."""


def forget_events_after(folder: Path, steps: int, evaluated: bool) -> None:
    """Drop what was logged after so many steps: a killed run logged it, and the resumed one will log it again.

    Args:
        folder: TensorBoard's.
        steps: what is logged at these is kept; -1 drops all.
        evaluated: whether the evaluation at these steps was saved too; else what it logged is dropped.
    """
    ends = {True: steps + evaluated, False: steps + 1}  # of evaluations, and of the rest
    for file in folder.glob("events*"):
        data = file.read_bytes()
        kept = b"".join(record for record, event in records_of(data) if event.step < ends[_is_of_evaluation(event)])
        if not kept:
            file.unlink()
        elif len(kept) < len(data):
            with replaced(file) as temporary:
                temporary.write_bytes(kept)


def _is_of_evaluation(event: Any) -> bool:
    return any(value.tag.startswith(EVALUATION) for value in event.summary.value)


def records_of(data: bytes) -> Iterator[tuple[bytes, Any]]:
    """Yield each whole record (length, checksum, event, checksum) and its event, until one is damaged."""
    from google.protobuf.message import DecodeError
    from tensorboard.compat.proto.event_pb2 import Event

    at = 0
    while (end := at + HEAD + int.from_bytes(data[at : at + LENGTH], "little") + TAIL) <= len(data):
        try:
            event = Event.FromString(data[at + HEAD : end - TAIL])
        except DecodeError:
            return
        yield data[at:end], event
        at = end
