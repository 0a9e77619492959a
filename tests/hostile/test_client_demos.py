"""Demos of DDNet's client that cost much for their size, or lose rows."""

from __future__ import annotations

import io
import lzma
import time

import playhead
from playhead.teehistorian.physics.demo.huffman import coded
from playhead.teehistorian.physics.demo.snapshots import SnapshotWriter, packed_text

Items = dict[int, tuple[int, ...]]


def demo(*snapshots: Items, step: int = 1) -> bytes:
    file = io.BytesIO()
    writer = SnapshotWriter(file, "floor", b"the map", "ab" * 32, "2026-11-24")
    for number, items in enumerate(snapshots):
        writer.snapshot(1 + number * step, items)
    writer.close()
    return file.getvalue()


def tees(tick: int, size: int = 22) -> Items:
    people = {11 << 16 | client: (*packed_text("anna", 4), *range(13)) for client in range(2)}
    return people | {9 << 16 | client: (tick,) * size for client in range(2)}


def test_differences_of_a_few_bytes_repeat_no_snapshot_for_ever() -> None:
    """5 bytes copied 900 items: 7 kB of .xz took minutes."""
    nothing = coded([0, 0, 0])
    start = demo({9 << 16 | client: tuple(range(22)) for client in range(900)})
    data = lzma.compress(start + (bytes([0xA1, 3 << 5 | len(nothing)]) + nothing) * 400_000)
    assert len(data) < 10_000
    began = time.process_time()
    with playhead.open(data) as replay:
        assert not replay.info.complete
        (problem,) = replay.problems
        assert problem.kind == "LimitExceeded"
        assert replay.table("positions").num_rows == 900
    assert time.process_time() - began < 10


def test_items_that_are_too_short_are_a_problem() -> None:
    with playhead.open(demo(tees(1, 12))) as replay:
        assert replay.table("positions").num_rows == 0
        assert [problem.kind for problem in replay.problems] == ["FactError"]
        assert "expected 20 fields in an item character, found 12" in replay.problems[0].what


def test_a_demo_that_ends_before_its_length_is_not_whole() -> None:
    data = demo(*(tees(tick) for tick in range(30)), step=20)
    with playhead.open(data) as replay:
        assert replay.info.complete
        assert not replay.problems
        assert replay.table("positions").num_rows == 60
    cut = demo(*(tees(tick) for tick in range(15)), step=20)
    head = data[: len(demo()) - 300]
    with playhead.open(head + cut[len(head) :]) as replay:
        assert not replay.info.complete
        assert "expected 11 seconds, as the head says, found 5" in replay.problems[0].what


def test_a_difference_with_numbers_left_over_is_damage() -> None:
    """Items of another size than the type has made numbers of one item those of the next."""
    data = demo(*(tees(tick, 20) for tick in range(5)))
    with playhead.open(data) as replay:
        assert not replay.info.complete
        assert "numbers of changed items" in replay.problems[0].what
