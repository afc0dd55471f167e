"""TensorBoard's files of a run that goes on from a checkpoint."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from azul_duel_env.system.files import replaced

LENGTH, HEAD, TAIL = (
    8,
    12,
    4,
)  # bytes of a record: its length, that with its checksum before the event, and a checksum after it


def forget_events_after(folder: Path, steps: int) -> None:
    """Drop what was logged after so many steps: a killed run logged it, and the resumed one will log it again.

    Args:
        folder: TensorBoard's.
        steps: what is logged at these is kept; -1 drops all.
    """
    for file in folder.glob("events*"):
        data = file.read_bytes()
        kept = b"".join(record for record, at in records_of(data) if at <= steps)
        if not kept:
            file.unlink()
        elif len(kept) < len(data):
            with replaced(file) as temporary:
                temporary.write_bytes(kept)


def records_of(data: bytes) -> Iterator[tuple[bytes, int]]:
    """Yield each whole record (length, checksum, event, checksum) and the steps that it was logged at, until one is damaged."""
    from google.protobuf.message import DecodeError
    from tensorboard.compat.proto.event_pb2 import Event

    at = 0
    while (end := at + HEAD + int.from_bytes(data[at : at + LENGTH], "little") + TAIL) <= len(data):
        try:
            event = Event.FromString(data[at + HEAD : end - TAIL])
        except DecodeError:
            return
        yield data[at:end], event.step
        at = end
