"""A build that renames or leaves out what every recording has, or changes a field of a message, is a problem."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pyarrow as pa
import pytest

import playhead
from playhead.blizzard.events import tracker
from playhead.sc2.recording.expected import missing

sys.path.insert(0, str(Path(__file__).parents[2] / "fuzz"))

import sweep
import sweep_blizzard
import sweep_source2
import sweep_teehistorian

CHANGES = {
    "teehistorian": (
        "extension PlayerTeam removed*",
        "extension PlayerName removed*",
        "extension AuthLogin renamed",
        "extension TeamFinish removed*",
        "extension JoinVersion6 removed*",
        "message PlayerOld removed*",
        "net message 28 cut",
    ),
    "hots": (
        "statistic PlayerDeath  renamed",
        "statistic TownStructureInit Team as number",
        "score Healing renamed",
        "game events SCmdEvent removed",
        "lobby *.m_userId removed*",
        "tracker events SStatGameEvent removed",
        "tracker events SScoreResultEvent removed",
        "member replay.message.events removed",
    ),
    "sc2": (
        "header (4,) removed*",
        "metadata .Players?0?.APM removed*",
        "member replay.game.events removed",
        "member replay.message.events removed",
        "member replay.tracker.events removed",
        "tracker events SPlayerStatsEvent removed",
    ),
}


@pytest.mark.parametrize("game", CHANGES)
def test_what_a_recording_must_have_is_missed(game: str) -> None:
    made = sweep_teehistorian if game == "teehistorian" else sweep_blizzard
    sound = sweep.read(made.sound(game))
    assert sound.problems == ()
    tried = []
    for what, make in made.changes(game):
        pattern = next((each for each in CHANGES[game] if fnmatchcase(what, each)), None)
        if pattern is not None and (data := make()) is not None:
            tried.append(pattern)
            assert sweep.read(data).problems, what
    assert set(tried) == set(CHANGES[game])


#: Changes of fields of messages that once took values in silence, one for each reader of messages.
LOST_ONCE = {
    "cs2": (
        "message CDemoStringTables.items_t.data renamed",
        "message CMsgSource1LegacyGameEvent.eventid renamed",
        "message CMsgSource1LegacyGameEventList.descriptor_t.eventid renamed",
        "message CSVCMsg_CreateStringTable.name renamed",
    ),
    "deadlock": (
        "message CBaseUserCmdPB.buttons_pb renamed",
        "message CMsgServerUserCmd.data as uint64",
        "message CMsgServerUserCmd.player_slot renamed",
        "message CNETMsg_Tick.tick renamed",
        "message ProtoFlattenedSerializerField_t.encode_flags renamed",
    ),
    "dota2": (
        "message CDOTAModifierBuffTableEntry.serial_num renamed",
        "message CDOTAMsg_LocationPing.target renamed",
        "message CDOTAUserMsg_ChatMessage.channel_type renamed",
        "message CDOTAUserMsg_CombatLogBulkData.combat_entries renamed",
        "message CGameInfo.dota renamed",
        "message CMsgDOTACombatLogEntry.target_name renamed",
        "message CMsgDOTACombatLogEntry.value as float",
    ),
}


@pytest.mark.long
@pytest.mark.slow_interpreted
@pytest.mark.parametrize("game", LOST_ONCE)
def test_a_field_of_a_message_with_another_number_or_kind_is_missed(game: str, step: int) -> None:
    """Without ``--whole``, those that were once lost."""
    sound = sweep.read(sweep_source2.sound(game))
    assert sound.problems == ()
    tried = set()
    for what, make in sweep_source2.message_changes(game):
        if step > 1 and what not in LOST_ONCE[game]:
            continue
        try:
            data = make()
        except Exception:  # the writers cannot write that
            continue
        tried.add(what)
        try:
            after = sweep.read(data) if data else sound
        except playhead.ReplayError:  # no match of the game
            continue
        assert not list(sweep.silent(sound, after, values="renamed" in what)), what
    assert tried.issuperset(LOST_ONCE[game])


class Kind:
    """Events of one class, as `missing` reads them."""

    def __init__(self, ticks: Sequence[int] = (), values: Sequence[int] = ()) -> None:
        self.tick, self._values = pa.array(ticks, pa.int64()), values

    def __len__(self) -> int:
        return len(self.tick)

    def numbers(self, name: str) -> Sequence[int]:
        return self._values


@pytest.mark.parametrize(
    ("lost", "told"),
    [
        (tracker.PlayerStatsEvent, "SPlayerStatsEvent beside"),
        (tracker.UnitDiedEvent, "SUnitDiedEvent where players lose units"),
        (tracker.UnitDoneEvent, "SUnitDoneEvent of buildings"),
        (tracker.UnitPositionsEvent, "SUnitPositionsEvent where units are killed"),
    ],
)
def test_a_tracker_without_a_kind_of_events_that_others_imply(lost: type, told: str) -> None:
    kinds = {
        tracker.PlayerStatsEvent: Kind([1, 9000], [0, 50]),
        tracker.UnitBornEvent: Kind([0]),
        tracker.UnitDiedEvent: Kind(range(20), [1] * 20),
        tracker.UnitInitEvent: Kind(range(1000, 1030)),
        tracker.UnitDoneEvent: Kind([2000]),
        tracker.UnitPositionsEvent: Kind([3000]),
    }

    class Stream:
        rows = SimpleNamespace(heads=[[9000]])
        of = kinds.__getitem__

        def __len__(self) -> int:
            return 1

    whole: Any = Stream()
    assert list(missing(whole)) == []
    kinds[lost] = Kind()
    assert any(told in what for what, _ in missing(whole))
    # Triggers of an arcade map or a mission may do what a game of melee never does.
    assert bool(list(missing(whole, own_rules=True))) == (lost is tracker.PlayerStatsEvent)
    kinds.update(dict.fromkeys(kinds, Kind()))
    assert list(missing(whole)) == []
    kinds[tracker.UnitInitEvent] = Kind([1000])  # a builder was called off
    assert list(missing(whole)) == []
