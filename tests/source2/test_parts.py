"""Several recordings in one file."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest
from tests.samples.source2.dota2 import write_sample
from tests.samples.source2.engine import sample_demo

import playhead
from playhead.errors import CorruptReplay

TABLES = ("frames", "messages", "chat", "entity_changes")


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory) -> tuple[bytes, bytes]:
    return sample_demo(), write_sample(tmp_path_factory.mktemp("parts")).read_bytes()


@pytest.mark.parametrize("cut", [0, 60])
def test_each_recording_is_read_alone(both: tuple[bytes, bytes], cut: int, tmp_path: Path) -> None:
    first, second = both[0][: len(both[0]) - cut], both[1]
    path = tmp_path / "two.dem"
    path.write_bytes(first + second)
    replays = [playhead.open(path), playhead.open(path, part=2)]
    for replay, alone in zip(replays, (first, second), strict=True):
        expected = playhead.open(alone)
        for name in expected.tables.keys() & set(TABLES):
            assert replay.table(name).equals(expected.table(name)), name
        found = list(replay.problems)
        if alone is first:
            another = found.pop(0)
            assert (another.where, another.offset) == ("file", len(first))
            assert another.what.endswith(f"found another one at offset {len(first):#x}")
            assert another.cost == "that recording: playhead.open(FILE, part=2) reads it"
        assert [each.what for each in found] == [each.what for each in expected.problems]


def test_a_part_is_pickled_as_a_part(both: tuple[bytes, bytes]) -> None:
    replay = playhead.open(both[0] + both[1], part=2)
    again = pickle.loads(pickle.dumps(replay))
    assert again.info.as_dict() == replay.info.as_dict() == playhead.open(both[1]).info.as_dict()


def test_three_recordings(both: tuple[bytes, bytes]) -> None:
    data = both[1] + both[0] + both[1]
    middle = playhead.open(data, part=2)
    assert middle.info.duration_ticks == playhead.open(both[0]).info.duration_ticks
    assert "part=3" in middle.problems[0].cost
    assert playhead.open(data, part=3).problems == ()


def test_a_part_that_is_not_there(both: tuple[bytes, bytes], samples: dict[str, Path]) -> None:
    with pytest.raises(ValueError, match="expected a part of 1 to 1, which <bytes> has, got 2"):
        playhead.open(both[0], part=2)
    with pytest.raises(ValueError, match="has one part, got part=2"):
        playhead.open(samples["sc2"], part=2)
    with pytest.raises(CorruptReplay, match="found another one"):
        playhead.open(both[0] + both[1], strict=True)
