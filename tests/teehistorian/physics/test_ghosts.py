"""Ghosts and demos: written, read again, cut and damaged."""

from __future__ import annotations

import io
import struct
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.teehistorian.physics.test_demo import write_game
from tests.teehistorian.physics.written_games import write_map

import playhead
from playhead.errors import CorruptReplay, LimitExceeded, ReplayError, TruncatedReplay
from playhead.teehistorian.physics.demo.ghosts import Ghost, GhostTee, read_ghost, write_ghost
from playhead.teehistorian.physics.demo.huffman import coded, numbers
from playhead.teehistorian.physics.demo.reading import ClientDemo, extended_types, text_of
from playhead.teehistorian.physics.demo.snapshots import SnapshotWriter, packed_text

INT = st.integers(-(1 << 31), (1 << 31) - 1)
GHOSTS = st.builds(
    Ghost,
    owner=st.text("abc é✓", max_size=15).filter(lambda text: len(text.encode()) < 16),
    map_name=st.text("abc_1", min_size=1, max_size=63),
    map_sha256=st.binary(min_size=32, max_size=32).map(bytes.hex),
    milliseconds=st.integers(0, 1 << 30),
    start_tick=INT,
    skin=st.tuples(*[INT] * 9),
    tees=st.lists(st.builds(GhostTee, *[INT] * 12), min_size=1, max_size=120).map(tuple),
)


def ghost_bytes(ghost: Ghost) -> bytes:
    file = io.BytesIO()
    write_ghost(file, ghost)
    return file.getvalue()


@settings(max_examples=40, deadline=None)
@given(GHOSTS)
def test_a_ghost_is_read_as_it_was_written(ghost: Ghost) -> None:
    assert read_ghost(ghost_bytes(ghost)) == ghost


def test_the_head_of_a_ghost() -> None:
    """Places of the fields as DDNet's client has them: it seeks to the ticks at 93."""
    tees = tuple(GhostTee(*[0] * 11, tick) for tick in range(51))
    data = ghost_bytes(Ghost("anna", "floor", "ab" * 32, 1_234, 5, (0,) * 9, tees))
    assert data[:9] == b"TWGHOST\0\6"
    assert data[9:25].rstrip(b"\0") == b"anna"
    assert data[25:89].rstrip(b"\0") == b"floor"
    assert struct.unpack(">III", data[89:101]) == (0, 51, 1_234)
    assert data[101:133] == bytes([0xAB]) * 32
    assert data[133:136] == bytes([3, 1, 0])  # the start: type, number of items, first byte of the size
    kinds = []
    place = 133
    while place < len(data):
        kind, count, size = struct.unpack_from(">BBH", data, place)
        kinds.append((kind, count))
        place += 4 + size
    assert kinds == [(3, 1), (0, 1), (2, 50), (2, 1)]


@pytest.mark.parametrize("version", [4, 5])
def test_older_ghosts(version: int) -> None:
    """Without a hash; in version 4 a chunk begins with a difference from the chunk before."""
    tees = tuple(GhostTee(*range(tick, tick + 11), tick) for tick in range(60))
    whole = Ghost("anna", "floor", "", 1_200, 5, (1,) * 9, tees)
    new = ghost_bytes(whole._replace(map_sha256="ab" * 32))
    data = new[:8] + bytes([version]) + new[9:101] + new[133:]
    if version == 4:
        last = data.rindex(bytes([2, 10, 0]))  # the second chunk of tees, of ten
        steps = [[1] * 12] * 10
        packed = coded([number for step in steps for number in step])
        data = data[:last] + struct.pack(">BBH", 2, 10, len(packed)) + packed
    assert read_ghost(data) == whole


def test_damaged_ghosts() -> None:
    tees = tuple(GhostTee(*range(tick, tick + 12)) for tick in range(60))
    data = ghost_bytes(Ghost("anna", "floor", "ab" * 32, 1_200, 5, (1,) * 9, tees))
    for size in range(8, len(data)):
        with pytest.raises(CorruptReplay):
            read_ghost(data[:size])
    for version in (3, 7):
        with pytest.raises(CorruptReplay, match="version 4 to 6"):
            read_ghost(data[:8] + bytes([version]) + data[9:])
    with pytest.raises(CorruptReplay, match="TWGHOST"):
        read_ghost(b"TWDEMO\0\6" + data)
    survive(read_ghost, data)


def survive(read: object, data: bytes) -> None:
    """Check that damage in any byte raises nothing but errors of replays."""
    random = Random(1)
    refused = 0
    for _ in range(600):
        place = random.randrange(len(data))
        changed = data[:place] + bytes([random.randrange(256)]) + data[place + 1 :]
        try:
            read(changed)  # type: ignore[operator]
        except ReplayError:
            refused += 1
    assert refused > 20


@given(st.lists(INT, max_size=60))
def test_numbers(values: list[int]) -> None:
    assert numbers(coded(values), 1 << 12) == values


def test_limits_of_a_chunk() -> None:
    with pytest.raises(LimitExceeded):
        numbers(coded([0] * 500), 499)
    with pytest.raises(CorruptReplay, match="end of a Huffman code"):
        numbers(b"\0\0", 100)


ITEMS = st.dictionaries(
    st.tuples(st.sampled_from((3, 9, 30_000)), st.integers(0, 9)),
    st.integers(0, 1).flatmap(lambda _: st.tuples(*[INT] * 3)),
    min_size=1,
    max_size=6,
)
SIZE = {3: 5, 9: 22, 30_000: 3}


@settings(max_examples=30, deadline=None)
@given(st.lists(ITEMS, min_size=1, max_size=8), st.integers(1, 400))
def test_a_demo_is_read_as_it_was_written(
    snapshots: list[dict[tuple[int, int], tuple[int, ...]]], step: int
) -> None:
    file = io.BytesIO()
    writer = SnapshotWriter(file, "floor", b"the map", "cd" * 32, "2026")
    written = {}
    for number, items in enumerate(snapshots):
        whole = {key: (fields * 8)[: SIZE[key[0]]] for key, fields in items.items()}
        writer.snapshot(10 + number * step, {kind << 16 | one: fields for (kind, one), fields in whole.items()})
        written[10 + number * step] = whole
    writer.message(b"\6\0\0hello\0")
    writer.close()
    demo = ClientDemo(file.getvalue())
    assert (demo.map_name, demo.map_data, demo.map_sha256) == ("floor", b"the map", "cd" * 32)
    chunks = list(demo.chunks())
    assert chunks[-1].data.rstrip(b"\0") == b"\6\0\0hello"
    found = {chunk.tick: chunk.items for chunk in chunks if chunk.items is not None}
    last: object = None
    for tick, whole in written.items():
        last = found.get(tick, last)
        assert last == whole


def test_damaged_demos(tmp_path: Path) -> None:
    sha256 = write_map(tmp_path / "floor.map")
    path = playhead.open(write_game(sha256, 30)).simulate(tmp_path).write_demo(tmp_path / "x.demo", end=20)
    data = path.read_bytes()
    demo = ClientDemo(data)
    chunks = list(demo.chunks())
    items = chunks[0].items
    assert items is not None
    assert {kind for kind, _ in items} >= {*extended_types(items), 9, 10, 11}
    assert text_of(items[11, 0][:4]) == "anna"
    assert text_of(packed_text("schön ✓", 4)) == "schön ✓"
    head = len(data) - len(demo.map_data)
    for size in (*range(7, 500), *range(len(data) - 200, len(data) - 1)):
        try:
            found = list(ClientDemo(data[:size]).chunks())
        except TruncatedReplay:
            continue
        assert size > head
        assert found == chunks[: len(found)]
    with pytest.raises(CorruptReplay, match="version 3 to 6"):
        ClientDemo(data[:7] + b"\2" + data[8:])
    tail = ClientDemo(data).map_data
    start = data.index(tail) + len(tail)
    small = data[:136] + bytes(4) + data[140 : start - len(tail)] + data[start:]
    survive(lambda changed: list(ClientDemo(changed).chunks()), small)


def test_a_run_as_a_ghost(tmp_path: Path) -> None:
    sha256 = write_map(tmp_path / "floor.map")
    simulation = playhead.open(write_game(sha256, 200)).simulate(tmp_path)
    run = {"run": 0, "players": [0, 1], "clients": [0, 1], "names": ["anna", None], "first_tick": 20, "tick": 120}
    ghost = read_ghost(simulation.write_ghost(tmp_path / "x.gho", {**run, "duration_ticks": 100}).read_bytes())
    assert (ghost.owner, ghost.map_name, ghost.map_sha256) == ("anna", "floor", sha256)
    assert (ghost.milliseconds, ghost.start_tick, len(ghost.tees)) == (2_000, 19, 101)
    assert text_of(ghost.skin[:6]) == "pinky"
    rows = simulation.table(start=20, end=120, players=[0]).to_pylist()
    places = [(row["tick"], row["x"], row["y"], row["hook_x"], row["direction"]) for row in rows]
    assert [(tee.tick, tee.x, tee.y, tee.hook_x, tee.direction) for tee in ghost.tees] == places
    assert {tee.hook_state for tee in ghost.tees} > {0}
    with pytest.raises(KeyError, match="no player 7"):
        simulation.write_ghost(tmp_path / "y.gho", {**run, "duration_ticks": 100}, 7)
