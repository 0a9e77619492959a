"""The state at a loop: lives of units, positions, upgrades, resources, selections; forwards, backwards and cut."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.opened import open_as
from tests.samples.blizzard import EventWriter, write_header
from tests.samples.sc2 import replay as sample

from playhead.blizzard.encoding.field_column import NOTHING
from playhead.blizzard.events.columns import EventStream, decode_stream
from playhead.blizzard.events.commands import ACTIVE
from playhead.blizzard.events.tracker import split_tag, unit_tag
from playhead.blizzard.members import member_names
from playhead.blizzard.mpq.writer import NewMember, write_archive
from playhead.blizzard.protocol.tables import GAME, TRACKER
from playhead.blizzard.units.history import changes_of
from playhead.blizzard.units.tracked import CHANGE_NAMES, unit_history
from playhead.sc2.members.clock import game_clock
from playhead.sc2.protocol.tables import event_program, protocol_table
from playhead.sc2.replay import Sc2Replay
from playhead.sc2.state.orders import written_twice
from playhead.sc2.state.players.starts import LateStart, late_start
from playhead.sc2.state.timeline import Timeline
from playhead.sc2.tables.registry import TABLES

BUILD = 93333


def tracker(*events: tuple[Any, ...]) -> EventStream:
    out = EventWriter(protocol_table(BUILD, BUILD), TRACKER)
    for loop, name, fields in events:
        out.write(loop, 0, name, **fields)
    return decode_stream(
        out.to_bytes(), event_program(BUILD, BUILD, TRACKER), TRACKER, capture=TABLES.captured(TRACKER)
    )


def unit(index: int, recycle: int, **more: Any) -> dict[str, Any]:
    return {"m_unitTagIndex": index, "m_unitTagRecycle": recycle, **more}


def born(loop: int, index: int, recycle: int, kind: bytes, player: int, x: int, y: int) -> tuple[Any, ...]:
    fields = unit(index, recycle, m_unitTypeName=kind, m_controlPlayerId=player, m_x=x, m_y=y)
    return loop, "SUnitBornEvent", fields


#: Index 5 is used twice; both lives are sampled under the same index.
LIVES = (
    born(0, 5, 1, b"Zergling", 2, 10, 20),
    (240, "SUnitPositionsEvent", {"m_firstUnitIndex": 5, "m_items": [0, 11, 21]}),
    (250, "SUnitOwnerChangeEvent", unit(5, 1, m_controlPlayerId=1)),
    (260, "SUnitTypeChangeEvent", unit(5, 1, m_unitTypeName=b"ZerglingBurrowed")),
    (300, "SUnitDiedEvent", unit(5, 1, m_x=12, m_y=22)),
    (300, "SUnitInitEvent", unit(5, 2, m_unitTypeName=b"Pylon", m_controlPlayerId=1, m_x=30, m_y=31)),
    (400, "SUnitDoneEvent", unit(5, 2)),
    (480, "SUnitPositionsEvent", {"m_firstUnitIndex": 4, "m_items": [0, 1, 1, 1, 32, 33]}),
    (500, "SUnitDiedEvent", unit(5, 1)),
)


def lives(cells: float = 1.0) -> Timeline:
    return Timeline(None, tracker(*LIVES), cells, game_clock(22.4, 0), {})


def test_an_index_is_used_again() -> None:
    timeline = lives()
    first = timeline.at(245).units[5 << 18 | 1]
    assert (first.index, first.recycle, first.player, first.unit_type) == (5, 1, 2, "Zergling")
    assert (first.x, first.y, first.position_tick, first.tick) == (11.0, 21.0, 240, 0)
    later = timeline.at(299)
    changed = later.unit_with_index(5)
    assert changed is not None
    assert (changed.player, changed.first_player, changed.unit_type) == (1, 2, "ZerglingBurrowed")
    assert later.units_of(2) == []
    assert later.units_of(1) == [changed]
    second = timeline.at(300).unit_with_index(5)
    assert second is not None
    assert (second.unit, second.finished, second.x, second.y) == (5 << 18 | 2, False, 30.0, 31.0)
    # The second death at 500 is of the life that had already ended.
    (last,) = timeline.at(10_000).units.values()
    assert (last.unit, last.finished, last.x, last.position_tick) == (5 << 18 | 2, True, 32.0, 480)
    assert timeline.at(10_000).unit_with_index(4) is None


def test_changes_of_units() -> None:
    stream = tracker(*LIVES, (600, "SUnitOwnerChangeEvent", unit(9, 1, m_controlPlayerId=3)))
    found = changes_of(unit_history(stream))
    places = {NOTHING: None} | dict(enumerate(stream.rows.texts))
    columns = (
        found["tick"],
        [CHANGE_NAMES[change] for change in found["change"]],
        [places[place] for place in found["old_unit_type"]],
        [places[place] for place in found["unit_type"]],
        [None if player == NOTHING else player for player in found["old_player"]],
        found["player"],
    )
    assert list(zip(*columns, strict=True)) == [
        (250, "owner", "Zergling", "Zergling", 2, 1),
        (260, "type", "Zergling", "ZerglingBurrowed", 1, 1),
        (600, "owner", None, None, None, 3),
    ]
    assert set(found["unit"]) == {5 << 18 | 1, 9 << 18 | 1}


def test_positions_are_cells_in_all_builds() -> None:
    spots = [(each.x, each.y) for each in lives(4.0).at(245).units.values()]
    assert spots == [(44.0, 84.0)]


@given(st.lists(st.integers(0, 600), min_size=1, max_size=8))
def test_the_order_of_asking_does_not_matter(loops: list[int]) -> None:
    timeline = lives()
    for loop in loops:
        assert timeline.at(loop) == lives().at(loop)


def test_a_state_stays_as_it_was() -> None:
    timeline = lives()
    early = timeline.at(0)
    timeline.at(299)
    assert [(each.player, each.unit_type, each.x) for each in early.units.values()] == [(2, "Zergling", 10.0)]


def test_the_tracker_of_a_resumed_game_starts_over() -> None:
    stream = tracker(
        born(0, 5, 1, b"Zergling", 2, 10, 20),
        (3040, "SUpgradeEvent", {"m_playerId": 1, "m_upgradeTypeName": b"Charge", "m_count": 1}),
        ((1 << 32), "SPlayerSetupEvent", {"m_playerId": 1}),
        born((1 << 32) + 10, 6, 1, b"Probe", 1, 1, 1),
    )
    assert stream.tick.to_pylist() == [0, 3040, 0, 10]
    timeline = Timeline(None, stream, 1.0, game_clock(22.4, 0), {})
    assert [each.unit_type for each in timeline.at(3039).units.values()] == ["Zergling"]
    assert [each.unit_type for each in timeline.at(3040).units.values()] == ["Zergling", "Probe"]


def test_selections_by_player() -> None:
    out = EventWriter(protocol_table(BUILD, BUILD))
    for loop, user, tags in ((5, 1, [7, 3]), (6, 4, [9])):
        delta = {"m_addUnitTags": tags}
        out.write(loop, user, "SSelectionDeltaEvent", m_controlGroupId=ACTIVE, m_delta=delta)
    out.write(8, 1, "SControlGroupUpdateEvent", m_controlGroupIndex=2, m_controlGroupUpdate=0)
    game = decode_stream(out.to_bytes(), event_program(BUILD, BUILD, GAME), GAME, capture=TABLES.captured(GAME))
    state = Timeline(game, None, 1.0, game_clock(16.0, 0), {1: 2}).at(8)
    assert not state.has_tracker
    assert (state.units, state.upgrades, state.resources) == ({}, {}, {})
    assert state.selection(2) == (3, 7)
    assert state.control_groups(2) == {2: (3, 7), ACTIVE: (3, 7)}
    # User 4 watches: no player, and still there under the user id.
    assert state.selections[4].units() == (9,)
    assert state.selection(1) == ()
    assert state.seconds == 0.5


def test_of_a_replay_by_loop_and_by_seconds() -> None:
    replay = open_as(Sc2Replay, sample.sample_bytes())
    state = replay.at(4000)
    assert state == replay.at(seconds=4000 / 22.4 + 0.01)
    assert state.resources[1].minerals == 50
    assert (state.resources[1].supply, state.resources[1].supply_made, state.resources[1].tick) == (12, 15, 1)
    assert state.selection(1) == (20 << 18 | 1,)
    assert state.control_groups(1)[1] == (20 << 18 | 1,)
    assert state.units[20 << 18 | 1].unit_type == "Marine"
    for wrong in ({}, {"when": 1, "seconds": 1.0}):
        with pytest.raises(TypeError, match="a tick"):
            replay.at(**wrong)  # type: ignore[arg-type]


def test_of_a_replay_without_streams() -> None:
    whole = open_as(Sc2Replay, sample.sample_bytes())
    details = NewMember(
        member_names.DETAILS, whole.recording.container.read_member(member_names.DETAILS), method=None
    )
    replay = open_as(Sc2Replay, write_archive([details], write_header(sample.HEADER)))
    state = replay.at(100)
    assert (state.has_tracker, state.units, state.selections) == (False, {}, {})


def test_tags() -> None:
    assert split_tag(20 << 18 | 3) == (20, 3)
    assert unit_tag(20, 3) == 20 << 18 | 3
    assert unit_tag(20, None) is None


def test_statistics_of_a_leaver_count_once() -> None:
    """The game writes them again in the loop in which the player leaves, on some maps after the units are gone."""
    out = EventWriter(protocol_table(BUILD, BUILD), TRACKER)
    for loop, player, minerals in ((160, 1, 50), (160, 2, 60), (200, 2, 70), (200, 2, 0), (320, 1, 80)):
        stats = {"m_scoreValueMineralsCurrent": minerals}
        out.write(loop, 0, "SPlayerStatsEvent", m_playerId=player, m_stats=stats)
    stream = decode_stream(
        out.to_bytes(), event_program(BUILD, BUILD, TRACKER), TRACKER, capture=TABLES.captured(TRACKER)
    )
    assert written_twice(stream) == {3}
    stats = Timeline(None, stream, 1.0, game_clock(16.0, 0), {}).at(400).stats
    assert {player: row["minerals"] for player, row in stats.items()} == {1: 80, 2: 70}


def test_a_game_begins_with_the_town_halls_of_its_players() -> None:
    """Together and after loop 0: GameHeart. At loop 0: any other game. One alone: a map with rules of its own."""

    def start(*halls: tuple[int, int]) -> LateStart | None:
        out = EventWriter(protocol_table(BUILD, BUILD), TRACKER)
        for place, (loop, player) in enumerate(halls):
            side = {"m_controlPlayerId": player, "m_upkeepPlayerId": player, "m_x": 9, "m_y": 9}
            tag = {"m_unitTagIndex": place, "m_unitTagRecycle": 1}
            out.write(loop, 0, "SUnitBornEvent", m_unitTypeName=b"Nexus", **tag, **side)
        program = event_program(BUILD, BUILD, TRACKER)
        return late_start(decode_stream(out.to_bytes(), program, TRACKER, capture=TABLES.captured(TRACKER)))

    assert start((800, 3), (803, 5), (2000, 5)) == (800, {3: "Protoss", 5: "Protoss"})
    assert start((0, 1), (0, 2)) is None
    assert start((800, 3), (2000, 5)) is None
    assert start() is None
    assert late_start(None) is None
