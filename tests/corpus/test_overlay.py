"""Rounds and matches on one clock: the start of each is known, and so is every time since."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa
import pytest

import playhead
from playhead.corpus.reading.overlay import Overlay, overlaid

_ROUND, _SECOND = {"replay": "a", "round_num": 1}, {"replay": "b", "round_num": 2}
_TABLES = {
    "info": [{"replay": "a", "ticks_per_second": 64.0}, {"replay": "b", "ticks_per_second": 64.0}],
    "rounds": [
        {**_ROUND, "freeze_end_tick": 64, "counts": False, "t_buy_type": "eco", "ct_buy_type": "x"},
        {**_ROUND, "freeze_end_tick": 640, "counts": True, "t_buy_type": "full", "ct_buy_type": "x"},
        {**_SECOND, "freeze_end_tick": 128, "counts": True, "t_buy_type": "eco", "ct_buy_type": "y"},
    ],
    "periods": [{"replay": "b", "kind": "game", "seconds": 1.0}, {"replay": "b", "kind": "pause", "seconds": 0.0}],
    "events": [
        {"replay": "a", "kind": "bomb_planted", "seconds": 20.0},
        {"replay": "a", "kind": "bomb_planted", "seconds": 90.0},
        {"replay": "b", "kind": "other", "seconds": 3.0},
    ],
    "kills": [
        {"replay": "a", "round_num": 1, "counts": False, "seconds": 2.0, "victim_side": "t"},
        {"replay": "a", "round_num": 1, "counts": True, "seconds": 12.0, "victim_side": "t"},
        {"replay": "a", "round_num": 1, "counts": True, "seconds": 85.0, "victim_side": "ct"},
        {"replay": "b", "round_num": 2, "counts": True, "seconds": 5.0, "victim_side": "t"},
        {"replay": "b", "round_num": None, "counts": None, "seconds": 6.0, "victim_side": "t"},
    ],
}  # fmt: skip


def lay(align: str, table: str = "kills", **where: Any) -> Overlay:
    def read(names: Sequence[str], options: Mapping[str, Any]) -> dict[str, pa.Table]:
        return {
            name: pa.table({key: [row.get(key) for row in _TABLES[name]] for key in _TABLES[name][0]})
            for name in names
            if name in _TABLES
        }

    return Overlay(overlaid(read, table, align, where, window=(-10.0, 30.0), options={}))


def times(found: Overlay) -> list[tuple[str, float]]:
    return list(zip(*(found.table[name].to_pylist() for name in ("replay", "overlay_seconds")), strict=True))


def test_rounds_begin_at_the_end_of_freeze_time() -> None:
    assert times(lay("round")) == [("a", 2.0), ("a", 75.0), ("b", 3.0)]
    assert lay("round").table["own_buy_type"].to_pylist() == ["full", "x", "eco"]
    assert times(lay("round", own_buy_type=["eco", "x"])) == [("a", 75.0), ("b", 3.0)]
    with pytest.warns(UserWarning, match="no row has own_buy_type 'none'; there are eco, full, x"):
        assert len(lay("round", own_buy_type="none")) == 0
    assert times(lay("round").first("replay")) == [("a", 2.0), ("b", 3.0)]
    assert times(lay("round").between(0, 10)) == [("a", 2.0), ("b", 3.0)]


def test_matches_begin_with_their_period_or_their_first_round() -> None:
    assert times(lay("match")) == [("a", -8.0), ("a", 2.0), ("a", 75.0), ("b", 4.0), ("b", 5.0)]


def test_events_take_what_is_near() -> None:
    assert times(lay("bomb_planted")) == [("a", -8.0), ("a", -5.0)]


def test_wrong_words_have_hints() -> None:
    with pytest.raises(ValueError, match="no align 'bomb_plantd'; did you mean bomb_planted"):
        lay("bomb_plantd")
    with pytest.raises(KeyError, match="no column 'victm_side'; did you mean victim_side"):
        lay("round", victm_side="t")
    with pytest.raises(KeyError, match="no replay has a table 'grenades'"):
        lay("round", "grenades")
    with pytest.raises(ValueError, match="table info has no times"):
        lay("round", "info")


def test_it_is_drawn() -> None:
    pytest.importorskip("matplotlib", reason="plots need the extra plot")
    rows = [
        {"replay": "a", "player": 1, "side": "t", "overlay_seconds": time, "x": 2.0 * time, "y": 1.0}
        for time in (0.0, 1.0, 2.0, 9.0)
    ]
    overlay = Overlay(pa.Table.from_pylist(rows))
    (line,) = overlay.plot("ways").get_lines()
    assert [str(x) for x in line.get_xdata()] == ["0.0", "2.0", "4.0", "nan", "18.0"]
    assert overlay.plot("points", bounds=(0, 5, 0, 5)).get_xlim() == (0, 5)
    assert overlay.plot("heat").collections
    with pytest.raises(ValueError, match="no way to draw 'ways!'"):
        overlay.plot("ways!")
    with pytest.raises(playhead.NothingToPlot):
        Overlay(overlay.table.slice(0, 0)).plot()
    with pytest.raises(KeyError, match="no places of attacker"):
        overlay.plot(role="attacker")
