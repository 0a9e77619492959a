"""An unknown side is neither the own side nor the other one."""

from __future__ import annotations

from array import array
from types import SimpleNamespace
from typing import Any

import pytest

from playhead.dota2.facts.fights import FightDetails
from playhead.dota2.facts.kills import _is_gank
from playhead.dota2.facts.placed_entries import COUNTS, HERO_ENTRY_TYPES, HeroEntries, count_by_fight
from playhead.dota2.facts.smokes import Smokes, _Seen
from playhead.dota2.facts.structures import Structures
from playhead.dota2.facts.wards import Wards
from playhead.dota2.sources.hero_lives import DeathPlace
from playhead.dota2.sources.lives import EntityLife
from playhead.dota2.sources.roster import opposed

# Players 0 and 1 are Radiant, 5 is Dire; the side of 9 is unknown.
TEAMS = {0: 2, 1: 2, 5: 3}


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [(0, 5, True), (0, 1, False), (0, 9, None), (9, 0, None), (9, 9, None), (None, 0, None), (None, None, None)],
)
def test_opposed(one: int | None, other: int | None, expected: bool | None) -> None:
    assert opposed(TEAMS, one, other) is expected


def test_a_gank_needs_the_sides() -> None:
    at = DeathPlace(0.0, 0.0, alive=True)
    assert _is_gank(0, at, {5: at, 6: at}, {**TEAMS, 6: 3}) is True
    assert _is_gank(0, at, {5: at, 9: at}, TEAMS) is False  # 9 may be a friend
    assert _is_gank(0, at, {5: at, 6: at, 9: at}, {**TEAMS, 6: 3}) is True
    assert _is_gank(9, at, {5: at, 6: at}, {**TEAMS, 6: 3}) is None


@pytest.mark.parametrize(
    ("doer", "target", "is_counted"), [(5, 0, True), (1, 0, False), (9, 0, False), (0, 9, False), (-1, 9, False)]
)
def test_fights_count_what_enemies_do(doer: int, target: int, is_counted: bool) -> None:
    kinds = [HERO_ENTRY_TYPES.index("DEATH"), HERO_ENTRY_TYPES.index("DAMAGE")]
    twice: dict[str, Any] = {"ticks": 100, "doers": doer, "targets": target, "values": 7}
    columns = {name: array("q" if name == "values" else "i", [each, each]) for name, each in twice.items()}
    places = {"xs": array("d", [0.0, 0.0]), "ys": array("d", [0.0, 0.0])}
    entries = HeroEntries(**columns, **places, kinds=array("i", kinds), numbers=array("i", [0, 1]))
    (counts,) = count_by_fight(entries, [(0, 200, 0.0, 0.0)], {0: 0}, TEAMS, 100.0)
    done = dict(zip(COUNTS, counts.get(doer, [0] * len(COUNTS)), strict=True))
    assert (done["kills"], done["damage"]) == ((1, 7) if is_counted else (0, 0))
    assert counts[target][COUNTS.index("damage_taken")] == 7


def test_assists_are_those_of_enemies() -> None:
    entry = {"tick": 9, "target_player": 0, "assister_players": [1, 5, 9], "will_reincarnate": False}
    rows: Any = SimpleNamespace(of=lambda *_names, **_which: [entry])
    assert list(FightDetails._assists(rows, {(9, 0): 1}, TEAMS)) == [(1, 5, "assists", 1)]
    entry["target_player"] = 9
    assert list(FightDetails._assists(rows, {(9, 9): 1}, TEAMS)) == []


def smokes(team: int | None) -> Any:
    """Smokes without a match: one Dire hero, and towers of Dire and of an unknown side, stand nearby."""
    made: Any = Smokes.__new__(Smokes)
    hero, towers = {"name": "hero"}, [{"name": "dire"}, {"name": "unknown"}]
    made._playback = SimpleNamespace(entities=SimpleNamespace(find_all_by_class_name=lambda _name: towers))
    made._roster = SimpleNamespace(
        lineup=[SimpleNamespace(hero=hero, seat=SimpleNamespace(player=5, team=3))],
        seats=[SimpleNamespace(player=player, team=team) for player, team in TEAMS.items()],
    )
    return made


def test_a_smoke_of_an_unknown_side_has_no_enemies() -> None:
    assert smokes(None)._nearest(None, (0.0, 0.0)) is None


def test_kills_of_a_smoke_are_of_enemies() -> None:
    made = smokes(2)
    made.match = SimpleNamespace(seconds_between=lambda _first, _last: 1.0)
    fallen = [(9, 5, 0), (9, 1, 0), (9, 8, 0), (9, 5, None)]  # an enemy, a friend, unknown side, unknown killer
    smoke = {"member_players": [0, None], "tick": 0, "team": 2}
    assert made._result(smoke, fallen) == {"kills": 1, "deaths": 0}


def test_a_hero_of_an_unknown_side_joins_a_smoke_at_that_time() -> None:
    smoke = {"tick": 100, "team": 2, "members": []}
    seen = _Seen(101, "npc_dota_hero_axe", None, (None, None), None, None)
    assert Smokes._smoke_of(seen, [smoke]) is smoke


def test_the_end_of_an_unknown_hero_is_nobodys() -> None:
    made = smokes(2)
    made._removed = [_Seen(110, None, 2, (1.0, 1.0), None, None)]
    made._roster.player_named = lambda _name: None
    made.match = SimpleNamespace(seconds_between=lambda first, last: (last - first) / 30)
    seen = _Seen(100, None, 2, (0.0, 0.0), 35.0, None)
    assert made._member({"tick": 100, "team": 2}, seen, [])["end_tick"] is None


@pytest.mark.parametrize(
    ("team", "attacker_team", "denied"), [(2, 2, True), (2, 3, False), (None, 2, None), (2, None, None)]
)
def test_a_building_is_denied_by_its_own_side(
    team: int | None, attacker_team: int | None, denied: bool | None
) -> None:
    made: Any = Structures.__new__(Structures)
    death = SimpleNamespace(attacker=1, attacker_team=attacker_team, damage_source=1)
    made._deaths = SimpleNamespace(name=lambda _number: None)
    made._roster = SimpleNamespace(player_named=lambda _name: None)
    made._heroes = {}
    place = (None, None)
    life: Any = EntityLife(7, "tower", "npc_dota_goodguys_tower1_top", team, 0, place, 1800, 0, 90, place, death)
    assert made._row(life)["denied"] is denied


@pytest.mark.parametrize(
    ("team", "attacker_team", "outcome"),
    [(2, 2, "denied"), (2, 3, "killed"), (None, None, "gone"), (None, 2, "gone"), (2, None, "gone")],
)
def test_the_outcome_of_a_ward(team: int | None, attacker_team: int | None, outcome: str) -> None:
    made: Any = Wards.__new__(Wards)
    entry = SimpleNamespace(attacker="npc_dota_hero_axe", attacker_team=attacker_team, tick=90)
    made._deaths = SimpleNamespace(name=lambda name: name, on_targets=lambda _fits: [entry])
    made._roster = SimpleNamespace(player_named=lambda _name: 0)
    row = {"end_tick": 90, "team": team, "outcome": "gone"}
    made._find_deaths([row], "npc_dota_observer_wards")
    assert (row["outcome"], row["attacker_player"]) == (outcome, 0)
