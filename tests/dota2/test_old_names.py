"""Recordings with the names of other builds give the tables that the sample gives: the same match, told with class
and field names that came and went, and as it was in 2015, with an array for each field of the players.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import pytest
from tests.dota2.conftest import Sample
from tests.opened import open_as
from tests.samples.source2 import entities as entities_module
from tests.samples.source2.dota2 import sample_demo
from tests.samples.source2.entities import SyntheticEntities
from tests.samples.source2.match_schema import build_schema, declare_field

import playhead
from playhead.dota2.facts import TABLES
from playhead.dota2.facts.player_stats import TEAM_DATA_FIELDS
from playhead.dota2.replay import Dota2Replay
from playhead.source2.schema.patches import aliases_of, class_aliases
from playhead.source2.schema.send_tables import SendTables, SerializerField

pytestmark = pytest.mark.slow_interpreted

CLASSES = {
    "CDOTAPlayerController": "CDOTAPlayer",
    "CDOTA_DataRadiant": "CDOTADataRadiant",
    "CDOTA_DataDire": "CDOTADataDire",
    "CDOTA_DataSpectator": "CDOTADataSpectator",
}
FIELDS = {"m_nPlayerID": "m_iPlayerID", "m_nPlayerOwnerID": "m_iPlayerOwnerID"}

#: As a recording of 2015 declares them.
RESOURCE = (
    "m_iszPlayerNames CUtlSymbolLarge[64]",
    "m_iPlayerTeams int32[64]",
    "m_bFakeClient bool[64]",
    "m_iPlayerSteamIDs uint64[64]",
    "m_nSelectedHeroID int32[10]",
    "m_hSelectedHero CHandle< CBaseEntity >[10]",
    "m_iKills int32[10]",
    "m_iDeaths int32[10]",
    "m_iAssists int32[10]",
    "m_iLevel int32[10]",
    "m_iRespawnSeconds int32[10]",
    "m_iTotalEarnedGold int32[10]",
    "m_iTotalEarnedXP int32[10]",
    "m_iLastHitCount int32[10]",
    "m_iDenyCount int32[10]",
    "m_iTowerKills int32[10]",
    "m_iRoshanKills int32[10]",
    "m_flBuybackCooldownTime float32[10]",
)
TEAM = ("m_iReliableGold int32[10]", "m_iUnreliableGold int32[10]")
SPECTATOR = ("m_iNetWorth int32[10]",)
RESOURCE_INDEX, DIRE_INDEX, SPECTATOR_INDEX = 2, 4, 5

#: Columns that a recording of 2015 leaves empty.
GONE = (
    *("observer_wards_placed", "sentry_wards_placed", "wards_destroyed", "camps_stacked"),
    *("rune_pickups", "hero_damage", "tower_damage", "creeps_stacked"),
    *(name for name in TEAM_DATA_FIELDS if name.startswith(("spent_", "gold_", "commands"))),
)

Old = Callable[[str, SerializerField], Iterator[SerializerField]]


def _renamed(send_tables: SendTables, old: Old) -> SendTables:
    return SendTables(
        {
            (CLASSES.get(name, name), version): table.replace(
                name=CLASSES.get(name, name),
                fields=tuple(made for field in table.fields for made in old(name, field)),
            )
            for (name, version), table in send_tables.serializers.items()
        }
    )


def _same_layout(_class: str, field: SerializerField) -> Iterator[SerializerField]:
    yield field._replace(name=FIELDS.get(field.name, field.name))


def _layout_of_2015(class_name: str, field: SerializerField) -> Iterator[SerializerField]:
    arrays: tuple[str, ...] = ()
    if field.name == "m_vecPlayerData":
        arrays = RESOURCE
    elif field.name == "m_vecDataTeam":
        arrays = SPECTATOR if class_name.endswith("Spectator") else TEAM
    elif field.name != "m_vecPlayerTeamData":
        yield from _same_layout(class_name, field)
    yield from map(declare_field, arrays)


class _Teller:
    """Tells the sample's entities by their old names."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, *, flat: bool) -> None:
        self._flat = flat
        self._put = SyntheticEntities.put
        spawn = SyntheticEntities.spawn

        def old_schema() -> tuple[SendTables, dict[int, str]]:
            send_tables, names = build_schema()
            return (
                _renamed(send_tables, _layout_of_2015 if flat else _same_layout),
                {number: CLASSES.get(name, name) for number, name in names.items()},
            )

        def old_spawn(one: SyntheticEntities, index: int, class_name: str, *args: Any, **values: Any) -> Any:
            made = spawn(one, index, CLASSES.get(class_name, class_name), *args, **values)
            if flat and class_name == "CDOTA_DataDire":
                spawn(one, SPECTATOR_INDEX, CLASSES["CDOTA_DataSpectator"])
            return made

        monkeypatch.setattr(entities_module, "build_schema", old_schema)
        monkeypatch.setattr(SyntheticEntities, "spawn", old_spawn)
        monkeypatch.setattr(SyntheticEntities, "put", lambda one, index, values: self.tell(one, index, values))

    def tell(self, one: SyntheticEntities, index: int, values: Mapping[str, Any]) -> None:
        for name, value in values.items():
            at, told = self._old(index, name)
            if told is not None:
                self._put(one, at, {told: value})

    def _old(self, index: int, name: str) -> tuple[int, str | None]:
        row = re.fullmatch(r"(m_vecPlayerData|m_vecPlayerTeamData|m_vecDataTeam)(?:\.(\d{4})\.(\w+))?", name)
        if not self._flat or row is None:
            head, dot, last = name.rpartition(".")
            return index, head + dot + FIELDS.get(last, last)
        known = [each.partition(" ")[0] for each in (*RESOURCE, *TEAM, *SPECTATOR)]
        array = next((each for each in (row[3], f"{row[3]}s") if each in known), None)
        if array is None:  # a recording of 2015 does not have it
            return index, None
        player = int(row[2])
        if row[1] == "m_vecDataTeam":
            player += 5 * (index == DIRE_INDEX)
            if not any(each.startswith(f"{array} ") for each in TEAM):
                index = SPECTATOR_INDEX if array == "m_iNetWorth" else RESOURCE_INDEX
        return index, f"{array}.{player:04}"


@pytest.fixture(scope="module", params=[False, True], ids=["renamed", "2015"])
def old(request: pytest.FixtureRequest) -> tuple[bool, Dota2Replay]:
    flat = bool(request.param)
    with pytest.MonkeyPatch.context() as patch:
        _Teller(patch, flat=flat)
        data = sample_demo.__wrapped__()[0]  # not the one that is kept
    replay = open_as(Dota2Replay, data)
    return flat, replay


@pytest.mark.long
def test_the_tables_are_the_same(old: tuple[bool, Dota2Replay], sample: Sample) -> None:
    flat, replay = old
    names = list(TABLES.own())
    tables = replay.read_tables(names)
    assert replay.problems == ()
    assert "CDOTADataRadiant" in replay.recording.class_names.values()
    differing = []
    for name in names:
        expected, found = sample.replay.table(name), tables[name]
        if flat and name == "player_counters":
            there = {row["counter"] for row in found.to_pylist()}
            assert there <= {"tower_kills", "roshan_kills"}
            continue
        if flat and name == "stacks":
            # A recording of 2015 has no m_iCampsStacked, which credits a stack.
            assert found.num_rows == 0
            continue
        # One entity more than in the sample shifts the serial numbers in handles.
        gone = {"class", *((*GONE, "handle", "target_handle") if flat else ())}
        columns = [column for column in expected.column_names if column not in gone]
        if found.select(columns).to_pylist() != expected.select(columns).to_pylist():
            differing.append(name)
    assert differing == []
    assert tables["player_series"].num_rows > 0
    assert replay.players == sample.replay.players


def test_a_moment_is_the_same(old: tuple[bool, Dota2Replay], sample: Sample) -> None:
    _, replay = old
    assert replay.at(1800).players == sample.replay.at(1800).players


def test_every_moment_has_the_time_of_the_game(sample: Sample) -> None:
    clock = sample.replay.clock
    assert clock is not None
    for tick in (0, 1, 899, 900, 1800, 1801, 2700, 2750, 3600):  # among them full packets, and a pause
        moment = playhead.open(sample.data).at(tick)
        assert moment.game_seconds == pytest.approx(clock.displayed_seconds(tick)), tick
        assert moment.displayed == clock.displayed(tick)


def test_fields_are_found_by_all_their_names(old: tuple[bool, Dota2Replay]) -> None:
    flat, replay = old
    world = replay.at(1800)
    hero = world.entities.find_by_class_name("CDOTA_Unit_Hero_Lina")
    assert hero is not None
    assert hero["m_nPlayerID"] == hero["m_iPlayerID"] == 1
    resource = world.entities.find_by_class_name("CDOTA_PlayerResource")
    assert resource is not None
    assert resource["m_vecPlayerTeamData.0003.m_iKills"] == resource["m_iKills.0003"]
    assert resource["m_vecPlayerData.0003.m_iszPlayerName"] == resource["m_iszPlayerNames.0003"] == "Dill"
    team = world.entities.find_by_class_name("CDOTA_DataDire")
    assert team is not None
    row = 7 if flat else 2
    assert team[f"m_vecDataTeam.{row:04}.m_iUnreliableGold"] == team[f"m_iUnreliableGold.{row:04}"]
    table = replay.entity_table("CDOTA_DataDire", [f"m_vecDataTeam.{row:04}.m_iUnreliableGold"], every="1s")
    assert table.num_rows > 0


def test_aliases_go_both_ways() -> None:
    for new, was in (
        ("m_vecPlayerData.0012.m_iszPlayerName", "m_iszPlayerNames.0012"),
        ("m_vecPlayerTeamData.0003.m_iKills", "m_iKills.0003"),
        ("m_vecDataTeam.0003.m_iNetWorth", "m_iNetWorth.0003"),
        ("m_nPlayerOwnerID", "m_iPlayerOwnerID"),
        ("m_pEntity.m_nameStringTableIndex", "m_pEntity.m_nameStringableIndex"),
    ):
        assert aliases_of(new) == (was,)
        assert aliases_of(was) == (new,)
    for other in ("m_hItems.0003", "m_vecPlayerTeamData", "m_vecPlayerTeamData.0003.m_iBountyRunes", "m_iKills"):
        assert aliases_of(other) == ()
    assert class_aliases("CDOTA_DataDire") == ("CDOTA_DataDire", "CDOTADataDire")
