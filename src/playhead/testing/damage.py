"""Promises about cut or damaged recordings."""

from __future__ import annotations

import random
from collections.abc import Iterator

from playhead.errors import ReplayError
from playhead.replay import Replay
from playhead.testing.subject import Subject


def a_cut_recording_says_so(subject: Subject) -> None:
    """A cut file gives everything before the cut, and `problems` reports it; strict reading raises."""
    size = len(subject.data)
    for number in range(1, subject.damages + 1):
        cut = subject.data[: size * number // (subject.damages + 1)]
        found = _outcome(subject, cut)
        assert isinstance(found, ReplayError) or found.problems or not found.info.complete, f"cut at {len(cut)}"
        try:
            strict = subject.open(cut, strict=True)
            strict.read_tables()
            complete = not strict.problems and strict.info.complete
        except ReplayError:
            continue
        assert not complete, f"strict reading accepted a file cut at {len(cut)} as complete"


def damage_gives_typed_errors_only(subject: Subject) -> None:
    """Damaged bytes raise nothing but `ReplayError`, and only if nothing can be read."""
    for data in _damaged(subject):
        _outcome(subject, data)


def _damaged(subject: Subject) -> Iterator[bytes]:
    choose = random.Random(subject.format)
    for _ in range(subject.damages):
        data = bytearray(subject.data)
        for _ in range(choose.choice((1, 4, 40))):
            data[choose.randrange(len(data))] = choose.randrange(256)
        yield bytes(data)


def _outcome(subject: Subject, data: bytes) -> Replay | ReplayError:
    """Read everything; any error except `ReplayError` is a broken promise."""
    try:
        replay = subject.open(data)
        replay.read_tables()
        for _ in replay.events():
            pass
        replay.problems  # noqa: B018
    except ReplayError as error:
        return error
    return replay
