"""Replays of other origins: packs for machine learning, anonymised data sets, arcade maps, archon games.

Each is made of the sample with the rewriter: what the real ones lack is taken out, what they have is put in.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from tests.opened import open_as
from tests.samples.blizzard import write_details
from tests.samples.sc2.events import sample_lobby
from tests.samples.sc2.replay import DETAILS, HEADER, sample_bytes

from playhead.blizzard.members import member_names
from playhead.blizzard.members.details import Details, Toon
from playhead.blizzard.members.lobby import Attribute, Lobby
from playhead.blizzard.writing.rewriter import rewrite_replay
from playhead.model import Player
from playhead.sc2.members.lobby_players import Sources, with_lobby
from playhead.sc2.members.players import with_summary
from playhead.sc2.members.setting import setting_facts
from playhead.sc2.protocol.tables import protocol_table
from playhead.sc2.replay import Sc2Replay

NOBODY = Toon(region=0, program="", realm=0, name="", id=0)


def open_sc2(data: bytes) -> Sc2Replay:
    return open_as(Sc2Replay, data)


SAMPLE = open_sc2(sample_bytes())


def nameless(details: Details, handles: Sequence[bytes] = ()) -> bytes:
    players = tuple(replace(each, marked_name="", name="", clan=None, toon=NOBODY) for each in details.players)
    return write_details(replace(details, players=players, cache_handles=tuple(handles)))


def blank_lobby(count: int) -> bytes:
    return sample_lobby(protocol_table(HEADER.base_build, HEADER.build), ("",) * count, ("",) * count)


def anonymous(*gone: str) -> Sc2Replay:
    """The sample with names blanked, toon handles removed and cache handles missing, and without some members."""
    members = {
        member_names.DETAILS: nameless(DETAILS),
        member_names.DETAILS_BACKUP: nameless(DETAILS),
        member_names.INIT_DATA: blank_lobby(len(DETAILS.players)),
    }
    kept = {name: data for name, data in members.items() if name not in gone}
    return open_sc2(rewrite_replay(SAMPLE.recording.container, kept, gone))


def test_an_anonymised_replay_lacks_nothing_but_people() -> None:
    replay = anonymous()
    assert replay.problems == ()
    assert replay.info.complete
    people = [
        (each.player, each.name, each.clan, each.account, each.details.get("region")) for each in replay.players
    ]
    assert people == [(1, None, None, None, None), (2, None, None, None, None)]
    assert [(each.kind, each.team, each.result, each.details["race"]) for each in replay.players] == [
        ("human", 0, "win", "Terran"),
        ("human", 1, "loss", "Zerg"),
    ]
    assert [each.details["user"] for each in replay.players] == [0, 1]
    assert replay.info.winner_name is None, "who won has no name; `result` tells"
    assert (replay.info.details["mode"], replay.info.details["region"]) == ("1v1", None)
    assert replay.table("cache_files").num_rows == 0
    # The clock is the header's, names of abilities are those of its build: no handles are needed for them.
    assert replay.info.ticks_per_second == SAMPLE.info.ticks_per_second
    assert replay.recording.ability_names is not None
    for name in ("commands", "units", "player_series", "build_order", "player_stats", "selections", "apm"):
        assert replay.table(name).equals(SAMPLE.table(name)), name


def test_a_pack_for_machine_learning_has_backups_and_no_tracker() -> None:
    gone = (
        *(member_names.DETAILS, member_names.TRACKER_EVENTS, member_names.MESSAGE_EVENTS),
        *(member_names.SYNC_EVENTS, member_names.METADATA),
    )
    replay = anonymous(*gone)
    assert replay.problems == ()
    assert replay.info.details["details_member"] == member_names.DETAILS_BACKUP
    assert [(each.player, each.name, each.team, each.result) for each in replay.players] == [
        (1, None, 0, "win"),
        (2, None, 1, "loss"),
    ]
    row = replay.table("info").to_pylist()[0]
    assert {"units", "player_series", "build_order"} <= set(row["not_recorded"])
    assert SAMPLE.table("info").to_pylist()[0]["not_recorded"] is None
    assert replay.table("commands").equals(SAMPLE.table("commands"))
    assert replay.recording.players_by_user == SAMPLE.recording.players_by_user
    assert all(replay.table(name).num_rows == 0 for name in row["not_recorded"])


def attributes(*rows: tuple[int, int, int, bytes]) -> bytes:
    packed = b"".join(struct.pack("<IIB4s", *row[:3], row[3][::-1]) for row in rows)
    return struct.pack("<BII", 0, 999, len(rows)) + packed


ARCADE = attributes(
    (999, 500, 1, b"Humn"),
    (999, 500, 2, b"Humn"),
    (999, 3001, 1, b"Prot"),
    (999, 3001, 2, b"Prot"),
    (4711, 1, 16, b"0003"),
)


def test_an_arcade_map_has_rules_and_names_of_its_own() -> None:
    replay = open_sc2(rewrite_replay(SAMPLE.recording.container, {member_names.GAME_ATTRIBUTES: ARCADE}))
    assert replay.problems == ()
    assert replay.info.details["mode"] == "arcade"
    assert replay.recording.inferred_winner is None
    own = [row for row in replay.table("attributes").to_pylist() if row["namespace"] == 4711]
    assert [(row["attribute"], row["meaning"], row["code"]) for row in own] == [(None, None, "0003")]


def test_what_was_picked_on_an_arcade_map_was_not_played() -> None:
    gone = (member_names.DETAILS, member_names.DETAILS_BACKUP, member_names.METADATA, member_names.TRACKER_EVENTS)
    lost = open_sc2(rewrite_replay(SAMPLE.recording.container, {member_names.GAME_ATTRIBUTES: ARCADE}, gone))
    assert [each.details.get("race") for each in lost.players] == [None, None]
    # Without the lobby too, the attributes tell who played.
    bare = open_sc2(
        rewrite_replay(
            SAMPLE.recording.container, {member_names.GAME_ATTRIBUTES: ARCADE}, (*gone, member_names.INIT_DATA)
        )
    )
    assert [(each.player, each.kind, each.details.get("race")) for each in bare.players] == [
        (1, "human", None),
        (2, "human", None),
    ]
    melee = ARCADE.replace(struct.pack("<I", 4711), struct.pack("<I", 999))
    ladder = open_sc2(
        rewrite_replay(
            SAMPLE.recording.container, {member_names.GAME_ATTRIBUTES: melee}, (*gone, member_names.INIT_DATA)
        )
    )
    assert [each.details.get("race") for each in ladder.players] == ["Protoss", "Protoss"]


def test_races_of_what_a_game_begins_with() -> None:
    gone = (member_names.DETAILS, member_names.DETAILS_BACKUP, member_names.METADATA)
    replay = open_sc2(rewrite_replay(SAMPLE.recording.container, {}, gone))
    assert [each.details["race"] for each in replay.players] == ["Terran", "Zerg"]
    assert {each.details["race_picked"] for each in replay.players} == {"Random"}


def tandem(user: int, team: int, own: int, leader: int | None, *, by_user: bool = False) -> dict[str, Any]:
    slot: dict[str, Any] = {"m_control": 2, "m_userId": user, "m_teamId": team, "m_observe": 0}
    slot["m_workingSetSlotId"] = user
    return slot | (
        {"m_tandemLeaderUserId": leader} if by_user else {"m_tandemId": own, "m_tandemLeaderId": leader}
    )


def archon(*slots: dict[str, Any]) -> Lobby:
    users = [{"m_name": b"user%d" % place} for place in range(4)]
    state = {"m_userInitialData": users, "m_gameDescription": {"m_gameOptions": 0}, "m_lobbyState": {}}
    return Lobby({"m_syncLobbyState": state | {"m_lobbyState": {"m_slots": slots}}})


def test_two_who_share_an_army_have_its_number() -> None:
    for by_user in (False, True):
        room = archon(
            tandem(0, 0, 0, None, by_user=by_user),
            tandem(1, 1, 1, None, by_user=by_user),
            tandem(2, 0, 2, 0, by_user=by_user),
            tandem(3, 1, 3, 1, by_user=by_user),
        )
        known = Sources(room, [], {place: place for place in range(4)}, HEADER.build)
        # The details list partners side by side and number them through.
        listed = [
            Player(number, f"user{user}", team=user % 2, details={"working_set_slot": user})
            for number, user in enumerate((0, 2, 1, 3), 1)
        ]
        found = with_lobby(listed, known)
        assert [(each.name, each.player, each.details["shared_army"], each.team) for each in found] == [
            ("user0", 1, 1, 0),
            ("user2", 1, 1, 0),
            ("user1", 2, 2, 1),
            ("user3", 2, 2, 1),
        ]
        # Without details they are the same.
        alone = with_lobby(None, known)
        assert [(each.name, each.player) for each in alone] == [(each.name, each.player) for each in found]
        assert setting_facts(room, [], found, ())["mode"] == "archon"


def test_who_has_an_army_alone_has_no_such_number() -> None:
    room = archon(tandem(0, 0, 0, None), tandem(1, 1, 1, None))
    found = with_lobby(None, Sources(room, [], {}, HEADER.build))
    assert [(each.player, "army" in each.details) for each in found] == [(1, False), (2, False)]
    # A leader who is nowhere leaves a player with a number of their own.
    lost = with_lobby(None, Sources(archon(tandem(0, 0, 0, None), tandem(1, 0, 1, 9)), [], {}, HEADER.build))
    assert [each.player for each in lost] == [1, 2]


def test_the_summary_is_taken_where_its_numbers_are_the_players() -> None:
    metadata = SAMPLE.recording.metadata
    assert metadata is not None
    listed = (Player(1, "a"), Player(2, "b"))
    full = with_summary(listed, metadata, results=True)
    assert [(each.result, each.details["race"], each.details["mmr"]) for each in full] == [
        ("win", "Terran", 4321),
        ("loss", "Zerg", 4300),
    ]
    assert [each.result for each in with_summary(listed, metadata, results=False)] == [None, None]
    assert with_summary((Player(1, "a"), Player(3, "c")), metadata, results=True) == (
        Player(1, "a"),
        Player(3, "c"),
    )
    assert [each.player for each in with_summary((), metadata, results=True)] == [1, 2]
    assert with_summary((), metadata, results=False) == ()


def test_the_attributes_say_who_only_watches() -> None:
    rows = [
        Attribute(999, 500, 1, "Humn"),
        Attribute(999, 500, 2, "Clsd"),
        Attribute(999, 500, 3, "Comp"),
        Attribute(999, 500, 4, "Humn"),
        Attribute(999, 3007, 4, "Watc"),
        Attribute(999, 3007, 1, "Part"),
        Attribute(999, 3001, 3, "RAND"),
    ]
    found = with_lobby(None, Sources(None, rows, {}, HEADER.build))
    assert [(each.player, each.kind, each.details.get("race_picked")) for each in found] == [
        (1, "human", None),
        (2, "computer", "Random"),
    ]
