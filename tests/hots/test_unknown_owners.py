"""What a report or a unit does not say of its owner stays unknown."""

from __future__ import annotations

from array import array
from types import SimpleNamespace
from typing import Any

import pytest

from playhead.blizzard.encoding.field_column import NOTHING
from playhead.hots.tables import map as objective_events
from playhead.hots.tables import map as town_map
from playhead.hots.tables.statistics import BLUE, RED, Statistic


@pytest.mark.parametrize(("owner", "team"), [(BLUE, 2), (RED, 1), (0, None), (NOTHING, None)])
def test_who_destroyed_a_core(owner: int, team: int | None, monkeypatch: pytest.MonkeyPatch) -> None:
    life = {
        "tick": 1,
        "end_tick": 90,
        "first_unit_type": 0,
        "unit": 7,
        "first_player": owner,
        "attacker_player": 3,
    }
    names = ["tick", "change", "unit_type", "unit", "player"]
    none = {name: array("q") for name in names}
    monkeypatch.setattr(
        objective_events, "lives_of", lambda _history: {k: array("q", [v]) for k, v in life.items()}
    )
    monkeypatch.setattr(objective_events, "changes_of", lambda _history: none)
    monkeypatch.setattr(objective_events, "people_of", lambda _source: {})
    history = SimpleNamespace(text=lambda _type: "KingsCore")
    monkeypatch.setattr(objective_events, "unit_history", lambda _stream: history)
    stream = SimpleNamespace(kinds=[1])
    source: Any = SimpleNamespace(stream=lambda _name: stream, loops_per_second=16.0)
    (row,) = objective_events._of_units(source)
    assert row["event"] == "structure_destroyed"
    assert row.get("team") == team


def _report(name: str, tick: int, **numbers: float) -> Statistic:
    return Statistic(name, tick, {}, {key: [value] for key, value in numbers.items()}, {})


@pytest.mark.parametrize(("town", "team"), [(4, 2), (None, None)])
def test_a_structure_without_a_town_has_no_owner(
    town: int | None, team: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    about = {} if town is None else {"TownID": town}
    begun, fell = _report("TownStructureInit", 1, Team=1, **about), _report("TownStructureDeath", 9, **about)
    monkeypatch.setattr(town_map, "statistics", lambda _source, *_names: [begun, fell])
    monkeypatch.setattr(town_map, "tracker_events", lambda _source, *_types: [])
    monkeypatch.setattr(objective_events, "all_statistics", lambda _source: [fell])
    source: Any = SimpleNamespace(loops_per_second=16.0)
    (row,) = objective_events._of_reports(source)
    assert row.get("team") == team
