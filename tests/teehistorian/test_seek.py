"""Going to a tick gives what playing from the start gives; windows are cuts of the tables; the index in a file."""

from __future__ import annotations

import json
import random
import zlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pyarrow.compute as pc
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.opened import open_as
from tests.samples.teehistorian import sample_bytes

from playhead import ReplayError
from playhead.teehistorian import passes as passes_module
from playhead.teehistorian.replay import TeehistorianReplay
from playhead.teehistorian.state import index_file
from playhead.teehistorian.state.seek import SeekIndex
from playhead.teehistorian.stream.extensions import PlayerTeam, decode_extension
from playhead.teehistorian.stream.header import encode_header
from playhead.teehistorian.stream.messages import (
    TICKS_PER_SECOND,
    Extra,
    InputDiff,
    InputNew,
    PlayerDiff,
    PlayerNew,
    PlayerOld,
)

SAMPLE = sample_bytes()


@pytest.fixture(autouse=True)
def _many_checkpoints(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(passes_module, "STRIDE", 50)


@dataclass
class Linear:
    """State at the end of a tick: (x, y), (tick it acts from, ten numbers) and team, by client id.

    Found the plain way: from the start, message by message, in Python.
    """

    positions: dict[int, tuple[int, int]] = field(default_factory=dict)
    inputs: dict[int, tuple[int, tuple[int, ...]]] = field(default_factory=dict)
    teams: dict[int, int] = field(default_factory=dict)

    def copy(self) -> Linear:
        return Linear(dict(self.positions), dict(self.inputs), dict(self.teams))


def _wrap(value: int) -> int:
    return (value + (1 << 31)) % (1 << 32) - (1 << 31)


def good_messages(replay: TeehistorianReplay) -> Iterator[tuple[int, object]]:
    """All messages up to the first that cannot be read."""
    try:
        yield from replay.messages()
    except ReplayError:
        return


def play(replay: TeehistorianReplay, ticks: Iterable[int]) -> dict[int, Linear]:
    """The state at each of `ticks`; an input recorded in the section of a tick acts on the next."""
    wanted = sorted(set(ticks), reverse=True)
    out: dict[int, Linear] = {}
    state = Linear()
    recorded: dict[int, tuple[int, tuple[int, ...]]] = {}

    def close_until(tick: int) -> None:
        """Every wanted tick below `tick` is over."""
        while wanted and wanted[-1] < tick:
            over = wanted.pop()
            snapshot = state.copy()
            snapshot.inputs = {cid: row for cid, row in state.inputs.items() if row[0] <= over}
            for cid, row in recorded.items():
                if row[0] <= over:
                    snapshot.inputs[cid] = row
            out[over] = snapshot

    section = 0
    for tick, message in good_messages(replay):
        close_until(tick)
        if tick != section:  # what was recorded in earlier sections acts by now
            state.inputs.update(recorded)
            recorded.clear()
            section = tick
        if isinstance(message, PlayerNew):
            state.positions[message.cid] = (message.x, message.y)
        elif isinstance(message, PlayerDiff) and message.cid in state.positions:
            x, y = state.positions[message.cid]
            state.positions[message.cid] = (_wrap(x + message.dx), _wrap(y + message.dy))
        elif isinstance(message, PlayerOld):
            state.positions.pop(message.cid, None)
        elif isinstance(message, InputNew):
            recorded[message.cid] = (tick + 1, tuple(message.values))
        elif isinstance(message, InputDiff):
            before = recorded.get(message.cid) or state.inputs.get(message.cid)
            if before is not None:
                values = tuple(_wrap(a + b) for a, b in zip(before[1], message.values, strict=True))
                recorded[message.cid] = (tick + 1, values)
        elif isinstance(message, Extra):
            change = decode_extension(message)
            if isinstance(change, PlayerTeam):
                state.teams[change.cid] = change.team
    close_until(1 << 40)
    return out


def assert_at_equals_linear_play(replay: TeehistorianReplay, ticks: Iterable[int]) -> None:
    """`replay.at` against `play`; connections from the replay's own list."""
    connections = replay.index.connections
    for tick, expected in play(replay, ticks).items():
        found = {tee.client: tee for tee in replay.at(tick)}
        assert {cid: (t.x, t.y) for cid, t in found.items() if t.x is not None} == expected.positions, tick
        for cid, tee in found.items():
            whose = [c for c in connections if c.cid == cid and c.tick <= tick]
            assert tee.connection == (whose[-1] if whose else None)
            acts_from, values = expected.inputs.get(cid, (None, None))
            if acts_from is None or (whose and acts_from <= whose[-1].tick):
                assert tee.input is None, (tick, cid)
            else:
                assert (tee.input_tick, tuple(tee.input or ())) == (acts_from, values), (tick, cid)
            if tee.team is not None:
                assert tee.team == expected.teams.get(cid, 0), (tick, cid)
        here = {c.cid for c in connections if c.tick <= tick and (c.end_tick is None or c.end_tick > tick)}
        assert found.keys() == here | expected.positions.keys()


def test_every_tick_of_the_sample() -> None:
    replay = open_as(TeehistorianReplay, SAMPLE)
    assert len(replay.index.checkpoints) > 10
    assert_at_equals_linear_play(replay, range(replay.index.last_tick + 1))


def test_a_tee_in_the_sample() -> None:
    replay = open_as(TeehistorianReplay, SAMPLE)
    first, second = replay.at(300)
    assert (first.client, first.name, first.team) == (0, "nameless tee", 5)
    assert (second.client, second.name, second.team) == (1, "brownbear", 5)
    assert first.input is not None
    assert first.input.direction == 1
    assert [tee.client for tee in replay.at(460)] == [0]
    assert [(tee.client, tee.name, tee.x) for tee in replay.at(471)][1:] == [(1, "(1)nameless tee", None)]
    assert [tee.identity.auth_level for tee in replay.at(379) if tee.identity is not None] == [3, 0]
    assert list(replay.at(0)) == []


@pytest.mark.parametrize("when", [-5, "-5t", 10**9, "9:00:00", 1e6, datetime(1999, 1, 1, tzinfo=UTC)])
def test_moments_that_are_not_there_are_refused(when: int | float | str | datetime, tmp_path: Path) -> None:
    replay = open_as(TeehistorianReplay, SAMPLE)
    last = replay.index.last_tick
    out = tmp_path / "out"
    for stream in (False, True):  # of which the end is not known before it is there
        one = open_as(TeehistorianReplay, SAMPLE, stream=stream)
        with pytest.raises(ValueError, match=rf"from tick 0 (to {last} \(.*\)|on), got"):
            one.write_slice(out, when, when)
        assert not out.exists()
    for ask in (replay.at, lambda w: replay.window(w, w), lambda w: replay.window(w, 10**9)):
        with pytest.raises(ValueError, match=rf"from tick 0 to {last} \(.*\), got"):
            ask(when)
    with pytest.raises(ValueError, match=rf"from tick 0 to {last} \(.*\), got"):
        replay.write_slice(out, 0, last + 1)
    replay.write_slice(out, 0, last)
    assert [tee.client for tee in replay.at(last)] == [
        tee.client for tee in open_as(TeehistorianReplay, out).at(last)
    ]


def test_ways_to_tell_a_time() -> None:
    replay = open_as(TeehistorianReplay, SAMPLE)
    begun = replay.header.start_time
    assert begun is not None
    for when in (300, 6.0, "6s", "0:06", "00:00:06", "0:05.99", begun + timedelta(seconds=6)):
        assert replay.to_tick(when) == 300
    assert replay.to_tick("1:14:03") == (3600 + 14 * 60 + 3) * TICKS_PER_SECOND
    for bad in ("", "1:2:3:4", "-3", "6", "4:60", "x", "1::2", "1.5:00"):
        with pytest.raises(ValueError, match="expected"):
            replay.to_tick(bad)
    nameless = open_as(TeehistorianReplay, encode_header({"version": "2"}))
    with pytest.raises(ValueError, match="header"):
        nameless.to_tick(datetime(2026, 1, 1, tzinfo=UTC))


WHOLE = open_as(TeehistorianReplay, SAMPLE)
TABLES = {name: WHOLE.table(name).to_pylist() for name in ("positions", "inputs")}
MESSAGES = list(WHOLE.messages())


@given(st.integers(0, 500), st.integers(0, 500), st.sampled_from([None, 0, 1, 2]))
def test_a_window_is_a_cut_of_the_tables(start: int, length: int, client: int | None) -> None:
    replay = open_as(TeehistorianReplay, SAMPLE)
    end = min(start + length, replay.index.last_tick)
    window = replay.window(start, end, client=client)
    for name in ("positions", "inputs"):
        rows = [row for row in TABLES[name] if start <= row["tick"] <= end and client in (None, row["client"])]
        assert getattr(window, name).to_pylist() == rows
    messages = [(tick, m) for tick, m in MESSAGES if start <= tick <= end]
    if client is not None:
        messages = [(tick, m) for tick, m in messages if getattr(m, "cid", None) == client]
    assert list(window.messages()) == messages


def test_a_window_of_a_player() -> None:
    window = WHOLE.window("0:02", "0:09.5", player="brownbear")
    assert set(window.positions["client"].to_pylist()) == {1}
    assert window.positions["tick"].to_pylist()[-1] == 450  # dropped there
    assert window.inputs.num_rows
    absent = WHOLE.window("0:09.5", "0:10", player="brownbear")
    assert (absent.positions.num_rows, absent.inputs.num_rows, list(absent.messages())) == (0, 0, [])
    assert absent.positions.schema == WHOLE.table("positions").schema
    with pytest.raises(KeyError, match="brownbear"):
        WHOLE.window(0, 10, player="nobody")
    with pytest.raises(ValueError, match="from tick 10 on"):
        WHOLE.window(10, 9)


def test_a_damaged_recording_goes_as_far_as_it_can() -> None:
    for cut in range(2600, len(SAMPLE), 97):
        replay = open_as(TeehistorianReplay, SAMPLE[:cut])
        last = replay.index.last_tick
        assert len(replay.problems) == 1
        assert_at_equals_linear_play(replay, [last - 1, last])
        assert replay.window(0, last).positions.to_pylist() == replay.table("positions").to_pylist()
        inputs = [row for row in replay.table("inputs").to_pylist() if row["tick"] <= last]
        assert replay.window(0, last).inputs.to_pylist() == inputs
        with pytest.raises(ValueError, match=rf"to {last} \(.*\), got"):
            replay.window(0, last + 1)


def test_a_stream_cannot_go_back() -> None:
    with pytest.raises(ReplayError, match="without stream=True"):
        open_as(TeehistorianReplay, SAMPLE, stream=True).at(5)


def test_the_index_in_a_file(tmp_path: Path) -> None:
    path = tmp_path / "game.teehistorian"
    path.write_bytes(SAMPLE)
    made = open_as(TeehistorianReplay, path)
    assert not made.use_index()
    beside = tmp_path / "game.teehistorian.index"
    assert sorted(tmp_path.iterdir()) == [path, beside]
    taken = open_as(TeehistorianReplay, path)
    assert taken.use_index()
    assert taken.index == made.index
    assert taken.at(300) == made.at(300)
    path.write_bytes(SAMPLE[:-1])  # another length, another recording
    other = open_as(TeehistorianReplay, path)
    assert not other.use_index()
    assert open_as(TeehistorianReplay, path).use_index()


def test_a_damaged_index_is_made_anew(tmp_path: Path) -> None:
    replay = open_as(TeehistorianReplay, SAMPLE)
    where = tmp_path / "index"
    replay.use_index(where)
    good = where.read_bytes()
    data, first = memoryview(SAMPLE), replay.header.size
    assert index_file.read_index(where, data, first) == replay.index
    for position in range(0, len(good), 7):
        where.write_bytes(good[:position])
        assert index_file.read_index(where, data, first) is None
        where.write_bytes(good[:position] + bytes([good[position] ^ 0x55]) + good[position + 1 :])
        found = index_file.read_index(where, data, first)
        assert found is None or found == replay.index
    assert not open_as(TeehistorianReplay, SAMPLE).use_index(where) or where.read_bytes() == good
    assert open_as(TeehistorianReplay, SAMPLE).use_index(where)


def test_an_index_of_nonsense_counts_as_missing() -> None:
    """One that is sound as a file, and of this recording; whoever can write beside it chooses what is in it."""
    replay = open_as(TeehistorianReplay, SAMPLE)
    data, first = replay.source.data, replay.header.size
    packed = b"".join(index_file.pack_index(replay.index, data))
    assert index_file.parse_index(packed, data, first) == replay.index
    magic, _, rest = packed.partition(b"\n")
    raw = zlib.decompress(rest)
    behind = 8 + int.from_bytes(raw[:8], "little")

    def changed(change: Callable[[dict[str, Any]], None]) -> SeekIndex | None:
        facts = json.loads(raw[8:behind])
        change(facts)
        text = json.dumps(facts).encode()
        content = zlib.compress(len(text).to_bytes(8, "little") + text + raw[behind:])
        return index_file.parse_index(magic + b"\n" + content, data, first)

    assert changed(lambda _facts: None) == replay.index

    def with_value(place: tuple[str | int, ...], value: Any) -> SeekIndex | None:
        def put(facts: Any) -> None:
            for step in place[:-1]:
                facts = facts[step]
            facts[place[-1]] = value

        return changed(put)

    for name, value in (("cid", {}), ("tick", "x"), ("end_tick", 0.5), ("history", []), ("taken_over", 3)):
        assert with_value(("connections", 0, name), value) is None, name
    for name, value in (("name", 3), ("connection_uuid", {}), ("country", "x")):
        assert with_value(("connections", 0, "history", 0, 1, name), value) is None, name
    for number, value in ((0, -1), (1, 1 << 70), (1, -2), (2, 1 << 31), (4, 1 << 20)):
        assert with_value(("checkpoints", 0, number), value) is None, number


def recordings(corpus: Path) -> list[Path]:
    found = sorted((corpus / "teehistorian").glob("*/*.teehistorian"))
    if not found:
        pytest.skip("no teehistorian files in the corpus")
    return found


@pytest.mark.long
@pytest.mark.slow_interpreted
def test_every_real_file_at_many_ticks(corpus: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(passes_module, "STRIDE", 1009)
    dice = random.Random(11)
    for path in recordings(corpus):
        replay = open_as(TeehistorianReplay, path)
        last = replay.index.last_tick
        edges = [checkpoint.tick + step for checkpoint in replay.index.checkpoints[:10] for step in (-1, 0, 1)]
        ticks = [0, 1, last - 1, last, *edges, *(dice.randint(0, last) for _ in range(30))]
        assert_at_equals_linear_play(replay, (tick for tick in ticks if 0 <= tick <= last))


@pytest.mark.slow_interpreted
def test_windows_of_real_files(corpus: Path, step: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(passes_module, "STRIDE", 1009)
    dice = random.Random(12)
    for path in recordings(corpus)[::step]:
        replay = open_as(TeehistorianReplay, path)
        last = replay.index.last_tick
        for _ in range(5):
            start = dice.randint(0, last)
            end = min(last, start + dice.randint(0, 2000))
            window = replay.window(start, end)
            for name in ("positions", "inputs"):
                tick = pc.field("tick")
                expected = replay.table(name).filter((tick >= start) & (tick <= end))
                found = getattr(window, name)
                assert found.equals(expected), (path.name, name, start)
