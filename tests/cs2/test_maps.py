"""Maps with two levels: the lower one is drawn below the upper."""

from __future__ import annotations

import pytest
from tests.samples.cs2 import sample_demo

import playhead
from playhead.cs2.sources import maps
from playhead.presentation import Levels
from playhead.view.map import path

_DISTANCE = 1024.0


def test_known_maps() -> None:
    replay = playhead.open(sample_demo().replace(b"de_sample", b"x/de_nuke"))
    found = replay.presentation.map.levels(replay)
    assert found == Levels(-495.0, 7168.0)
    assert [found.drop(z) for z in (-600.0, -400.0, None)] == [7168.0, 0.0, 0.0]
    plain = playhead.open(sample_demo())
    assert plain.presentation.map.levels(plain) is None


@pytest.mark.long
def test_a_lower_level_is_drawn_below(monkeypatch: pytest.MonkeyPatch) -> None:
    plain = playhead.open(sample_demo())
    deaths, motion = plain.presentation.deaths, plain.presentation.map.motion
    assert deaths is not None
    assert motion is not None
    upper = [death.y for death in deaths(plain)]
    walked = path(plain, 0)["y"]
    shown = list(motion(plain).rows(0, 64, 32).numbers[1::4])
    name = plain.info.map
    assert name is not None
    height = 1 + max(row["z"] for row in plain.table("positions").to_pylist())
    monkeypatch.setitem(maps._MAPS, name, (height, 1.0))
    assert [death.y for death in deaths(plain)] == [y - _DISTANCE for y in upper if y is not None]
    assert path(plain, 0)["y"] == [y - _DISTANCE for y in walked]
    found = list(motion(plain).rows(0, 64, 32).numbers[1::4])
    assert found == pytest.approx([y - _DISTANCE for y in shown], nan_ok=True)
    pytest.importorskip("matplotlib")
    low, high = plain.plot.positions().get_ylim()
    monkeypatch.undo()
    assert sum(plain.plot.positions().get_ylim()) == pytest.approx(low + high + 2 * _DISTANCE, abs=64)
