"""Tables by several threads, from one checkpoint of the index to another: the same rows."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.opened import open_as
from tests.source2.test_stretches import differences

import playhead
from playhead.teehistorian.replay import TeehistorianReplay
from playhead.teehistorian.state import seek
from playhead.teehistorian.stream.column_pass import ColumnPass
from playhead.teehistorian.stream.messages import (
    InputDiff,
    InputNew,
    Join,
    PlayerDiff,
    PlayerNew,
    PlayerOld,
    TickSkip,
)
from playhead.teehistorian.stream.reader import MessageReader
from playhead.teehistorian.tables import window
from playhead.teehistorian.writing.writer import encode_message

BULK = ["positions", "inputs", "messages"]


@pytest.fixture(autouse=True)
def many_stretches(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Number of stretches of each shared pass; checkpoints are close to one another."""
    monkeypatch.setattr(window, "SMALLEST", 0)
    monkeypatch.setattr("playhead.teehistorian.passes.STRIDE", 101)
    found: list[int] = []
    stretches_of = window.stretches_of

    def noted(index: seek.SeekIndex, count: int) -> list[window._Stretch]:
        made = stretches_of(index, count)
        found.append(len(made))
        return made

    monkeypatch.setattr(window, "stretches_of", noted)
    return found


@pytest.mark.long
@pytest.mark.slow_interpreted
@pytest.mark.parametrize("jobs", [2, 5])
def test_real_recordings(corpus: Path, many_stretches: list[int], jobs: int, step: int) -> None:
    paths = sorted((corpus / "teehistorian").rglob("*.teehistorian"))[jobs % step :: step]
    for path in paths:
        one, other = (open_as(TeehistorianReplay, path) for _ in range(2))
        assert differences(one, other, jobs) == [], path.name
        assert other.problems == one.problems
        assert one.table("inputs", columns=["tick", "player"]) == one.table("inputs").select(["tick", "player"])
    assert len(many_stretches) == len(paths) > 1
    assert max(many_stretches) > jobs


@pytest.mark.parametrize("size", [0.5, 0.97])
def test_a_cut_recording(samples: dict[str, Path], many_stretches: list[int], size: float) -> None:
    data = samples["teehistorian"].read_bytes()
    one, other = (open_as(TeehistorianReplay, data[: int(len(data) * size)]) for _ in range(2))
    assert differences(one, other, 3) == []
    assert other.problems == one.problems != ()
    assert many_stretches


def test_an_index_that_was_read_from_a_file(
    samples: dict[str, Path], many_stretches: list[int], tmp_path: Path
) -> None:
    path = tmp_path / "index"
    open_as(TeehistorianReplay, samples["teehistorian"]).use_index(path)
    one, other = (open_as(TeehistorianReplay, samples["teehistorian"]) for _ in range(2))
    assert other.use_index(path)
    assert differences(one, other, 2, BULK) == []
    assert other.info == one.info
    assert many_stretches


def test_small_recordings_and_streams_are_read_by_one_thread(
    samples: dict[str, Path], many_stretches: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    playhead.open(samples["teehistorian"], stream=True).table("positions", jobs=2)
    monkeypatch.setattr(window, "SMALLEST", 1 << 30)
    playhead.open(samples["teehistorian"]).table("positions", jobs=2)
    assert not many_stretches


def test_a_pass_belongs_to_one_thread() -> None:
    def listener(_tick: int, _message: object) -> None:
        columns.run(1)

    columns = ColumnPass(MessageReader(encode_message(Join(1))), listener=listener)
    with pytest.raises(ValueError, match="one thread"):
        columns.run(1)


def messages() -> Iterator[bytes]:
    """Two hundred ticks with every way out of the loop for frequent messages."""
    for cid in (0, 5, 63, 64, 127):
        yield encode_message(PlayerNew(cid, 100 * cid, -7))
        yield encode_message(InputNew(cid, tuple(range(10))))
    for tick in range(200):
        for cid in (0, 5, 63, 64, 127):
            yield encode_message(PlayerDiff(cid, (-1) ** tick * 3 ** (tick % 19), 1 << tick % 31))
            yield encode_message(InputDiff(cid, (tick, -tick, 1 << 30, -1 << 31, 0, 1, -1, 64, -64, 8191)))
        yield encode_message(PlayerDiff(7, 1, 1))  # no such tee
        yield encode_message(InputDiff(7, (1,) * 10))
        if tick % 9 == 0:
            yield encode_message(TickSkip(tick % 4))
        if tick % 50 == 49:
            yield encode_message(PlayerOld(5))
            yield encode_message(PlayerNew(5, 1, 1))


def test_frequent_messages_equal_those_of_the_general_path() -> None:
    """The last bytes of a buffer take the general path, so a buffer for each message takes no other."""

    def rows(size: int, limit: int) -> list[object]:
        data, parts = list(messages()), []
        for start in range(0, len(data), size):
            parts.append(b"".join(data[start : start + size]))
        reader = MessageReader(parts[0])
        columns = ColumnPass(reader, messages=True, positions=True, inputs=True)
        columns.keep_rows_of({0, 5, 64, 127})
        columns.set_limit(limit)
        for part in parts[1:]:
            columns.run(1 << 30)
            if columns.at_limit:
                break
            reader.continue_with(part)
        columns.run(1 << 30)
        tables = [columns.message_columns, columns.position_columns, columns.input_columns]
        state = (reader.tick, reader.last_cid, reader.end_offset(), columns.stray_positions, columns.stray_inputs)
        return [*([str(column.to_pylist()) for column in each.to_arrow()] for each in tables), state]

    assert rows(1, 1 << 30) == rows(1 << 30, 1 << 30) == rows(7, 1 << 30)
    assert rows(1, 90) == rows(1 << 30, 90)
