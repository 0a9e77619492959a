"""Followed recordings that are cut or replaced before, after or while they are read: an error or a problem."""

from __future__ import annotations

import os
from collections.abc import Callable
from itertools import accumulate
from pathlib import Path

import pytest
from tests.samples.source2.engine import sample_demo
from tests.samples.teehistorian import sample_bytes

import playhead
from playhead import Follow, Replay, ReplayError
from playhead.teehistorian.writing.writer import encode_message

CALLS: tuple[Callable[[Replay], object], ...] = (
    lambda replay: replay.info,
    lambda replay: list(replay.messages()),
    lambda replay: replay.table("messages"),
    lambda replay: list(replay.batches("messages")),
)


def teehistorian() -> tuple[bytes, list[int]]:
    """A recording, and where each of its messages begins."""
    data = sample_bytes()
    with playhead.open(data) as replay:
        sizes = [len(encode_message(message)) for _, message in replay.messages()]
    return data, [*accumulate(sizes[:-1], initial=len(data) - sum(sizes))]


def source2() -> tuple[bytes, list[int]]:
    """A recording, and where each of its frames begins."""
    data = sample_demo()
    with playhead.open(data) as replay:
        return data, [frame.offset for frame in replay.recording.frames]


Made = Callable[[], tuple[bytes, list[int]]]
NOW = Follow(idle_seconds=0)
READERS = pytest.mark.parametrize("made", [teehistorian, source2])


def read(
    path: Path, follow: Follow, cut: Callable[[], object] = lambda: None, calls: int | None = None
) -> set[str]:
    """Make one call or all, each on a recording that `cut` changes after it was opened; return the errors."""
    whole, errors = path.read_bytes(), set()
    for call in CALLS if calls is None else [CALLS[calls % len(CALLS)]]:
        path.write_bytes(whole)
        try:
            with playhead.open(path, follow=follow) as replay:
                cut()
                call(replay)
                errors.add("problems" if replay.problems else "")
        except ReplayError as error:
            errors.add(type(error).__name__)
    return errors


@READERS
@pytest.mark.long
def test_cut_before_it_is_opened(made: Made, tmp_path: Path) -> None:
    data, begins = made()
    path = tmp_path / "live"
    for number, size in enumerate([*range(16, 200), *begins]):  # fewer bytes are of no known format
        path.write_bytes(data[:size])
        assert "" not in read(path, NOW, calls=number), size


@READERS
@pytest.mark.long
def test_cut_after_it_was_opened(made: Made, tmp_path: Path) -> None:
    data, begins = made()
    path = tmp_path / "live"
    path.write_bytes(data)
    assert read(path, NOW) == {""}
    if made is source2:  # all that was there is read when it is opened
        assert read(path, NOW, lambda: os.truncate(path, 0)) == {""}
        return
    for number, size in enumerate([*range(200), *begins]):
        path.write_bytes(data)
        errors = read(path, NOW, lambda size=size: os.truncate(path, size), calls=number)
        assert errors <= {"TruncatedReplay", "TruncatedReplay" if size < begins[0] else "problems"}, size


@READERS
def test_cut_while_it_waits(made: Made, tmp_path: Path) -> None:
    data, begins = made()
    path = tmp_path / "live"
    half = begins[len(begins) // 2]
    for number, size in enumerate(range(0, half, 97)):
        path.write_bytes(data[:half])
        follow = Follow(idle_seconds=1, interval=0.5, sleep=lambda _, size=size: os.truncate(path, size))
        assert "" not in read(path, follow, calls=number), size


def test_replaced_by_another(tmp_path: Path) -> None:
    data, _ = teehistorian()
    path = tmp_path / "live"
    for other in (data.replace(b"Tutorial", b"tutorial"), bytes(len(data)), sample_demo()):
        path.write_bytes(data)
        assert read(path, NOW, lambda other=other: path.write_bytes(other)) == {"CorruptReplay"}


def test_rotated(tmp_path: Path) -> None:
    data, _ = teehistorian()
    path = tmp_path / "live"
    path.write_bytes(data)
    with playhead.open(path, follow=NOW) as replay:
        path.rename(tmp_path / "old")
        with pytest.raises(FileNotFoundError, match="live"):
            list(replay.messages())
