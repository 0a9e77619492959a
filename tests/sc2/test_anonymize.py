"""Replays without the people in them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.opened import open_as
from tests.samples.blizzard import (
    BitPackedWriter,
    EventWriter,
    VersionedWriter,
    blank,
    write_details,
    write_header,
    write_packed,
)
from tests.samples.sc2.replay import DETAILS, HEADER, sample_bytes

import playhead
from playhead.blizzard.encoding.bit_packed import BitPackedReader
from playhead.blizzard.encoding.blob_offsets import Patches, packed_blobs, tagged_leaves
from playhead.blizzard.encoding.versioned import VersionedReader
from playhead.blizzard.members import member_names
from playhead.blizzard.mpq import MpqArchive
from playhead.blizzard.mpq.writer import ARCHIVE_OFFSET, NewMember, write_archive
from playhead.blizzard.protocol.tables import GAME, MESSAGE, TypePool
from playhead.blizzard.writing.anonymize import Pseudonyms
from playhead.sc2.protocol.tables import protocol_table
from playhead.sc2.replay import Sc2Replay
from playhead.sc2.writing import anonymize

SAMPLE = sample_bytes()
TABLE = protocol_table(HEADER.base_build, HEADER.build)
SECRETS = (b"Needle", b"Spindle", b"HEAD", b"1000001", b"1000002", b"gl hf", b"u2")


def open_sc2(data: bytes) -> Sc2Replay:
    return open_as(Sc2Replay, data)


def contents(replay: Sc2Replay) -> dict[str, bytes]:
    assert replay.recording.container.archive is not None
    return {
        name: replay.recording.container.archive.read(name) for name in replay.recording.container.archive.names
    }


def user_info(**fields: Any) -> dict[str, Any]:
    """Of somebody who takes a game over."""
    hijack = next(type_ for name, type_ in TABLE.game.values() if name.endswith(".SHijackReplayGameEvent"))
    infos = next(inner for name, inner, _ in TABLE.pool.fields(hijack) if name == "m_userInfos")
    info: dict[str, Any] = blank(TABLE.pool, TABLE.pool.types[infos][3])
    return info | fields


def test_nobody_is_left_and_everything_else_is() -> None:
    before = open_sc2(SAMPLE)
    done = anonymize(before.recording, salt=b"salt")
    after = open_sc2(done.data)
    assert after.problems == ()
    assert (done.removed, done.cut, done.chat) == ((), (), 3)
    for name, data in contents(after).items():
        for secret in SECRETS:
            assert secret not in data, name
    # The numbers of accounts are packed, so that only decoding tells.
    assert {player.account for player in after.players}.isdisjoint(player.account for player in before.players)
    assert after.info.map == before.info.map
    assert after.info.end_time == before.info.end_time
    assert after.recording.container.header == before.recording.container.header
    same = set(after.tables) - {"info", "players", "members", "chat", "message_events", "slots", "resume_points"}
    same -= {"events", "reasons"}  # chat is among the events, and reasons have names
    assert len(same) > 15
    tables, originals = after.read_tables(), before.read_tables()
    for name in same:
        assert tables[name].equals(originals[name]), name
    assert tables["chat"].column("text").to_pylist() == [""] * 3
    for column in ("tick", "player", "recipient"):
        if column in tables["chat"].column_names:
            assert tables["chat"][column].equals(originals["chat"][column])
    # One name everywhere.
    names = [player.name for player in after.players]
    assert tables["slots"].column("name").to_pylist() == names
    assert tables["slots"].column("account").to_pylist() == [player.account for player in after.players]
    assert tables["resume_points"].column("name").to_pylist() == [names[1]]
    reasons = tables["reasons"].to_pylist()
    assert len(reasons) == 2
    assert reasons == [{**row, "name": names[row["player"] - 1]} for row in originals["reasons"].to_pylist()]
    assert [player.details["mmr"] for player in after.players] == [4321, 4300]
    assert after.players[0].clan is not None
    assert after.players[0].clan.startswith("C")


def test_the_salt_decides() -> None:
    one, two, other, free = (anonymize(open_sc2(SAMPLE).recording, salt=salt) for salt in (b"a", b"a", b"b", None))
    assert one == two
    assert one.replaced.keys() == other.replaced.keys() == free.replaced.keys()
    assert len({tuple(done.replaced.values()) for done in (one, other, free)}) == 3
    assert anonymize(open_sc2(SAMPLE).recording).replaced != free.replaced


def test_chat_may_stay() -> None:
    stream = EventWriter(TABLE, MESSAGE)
    stream.write(60, 0, "SChatMessage", m_recipient=0, m_string=b"gg wp Spindle, see you")
    archive = MpqArchive(memoryview(SAMPLE), ARCHIVE_OFFSET, member_names.KNOWN_NAMES)
    kept = [NewMember(name, archive.read(name)) for name in (member_names.DETAILS, member_names.INIT_DATA)]
    data = write_archive([*kept, NewMember(member_names.MESSAGE_EVENTS, stream.to_bytes())], write_header(HEADER))
    done = anonymize(open_sc2(data).recording, salt=b"", keep_chat=True)
    (text,) = open_sc2(done.data).table("chat").column("text").to_pylist()
    assert text == f"gg wp {done.replaced['Spindle']}, see you"
    assert done.chat == 0


def test_names_inside_of_game_events() -> None:
    stream = EventWriter(TABLE, GAME)
    account = b"1-S2-1-77777"
    stream.write(5, 0, "SGameUserJoinEvent", m_name=b"Latecomer", m_toonHandle=account, m_clanTag=b"LATE")
    stream.write(6, 0, "SBankFileEvent", m_name=b"Bank of Needle")
    stream.write(7, 1, "SBankValueEvent", m_name=b"score", m_data=b"12")
    stream.write(8, 1, "STriggerChatMessageEvent", m_chatMessage=b"-give Spindle 100")
    taker = user_info(m_name=b"Taker", m_toonHandle=b"2-S2-1-1000001")
    stream.write(9, 1, "SHijackReplayGameEvent", m_userInfos=[taker])
    stream.write(10, 0, "SCameraSaveEvent", m_which=3, m_target={"x": 1000, "y": 2000})
    data = write_archive(
        [
            NewMember(member_names.DETAILS, write_details(DETAILS)),
            NewMember(member_names.GAME_EVENTS, stream.to_bytes()),
            NewMember(member_names.BATTLE_LOBBY, b"C:\\Battle.net\\Cache Needle#1234"),
            NewMember("replay.invented", b"some later build may name people here"),
        ],
        write_header(replace(HEADER, loops=10)),
    )
    replay = open_sc2(data)
    done = anonymize(replay.recording, salt=b"")
    after = open_sc2(done.data)
    assert [each.cost for each in after.problems] == ["the lobby"]
    made = done.replaced
    assert done.removed == (member_names.BATTLE_LOBBY, "replay.invented")
    assert done.chat == 1
    events = [(event.tick, event.name, dict(event.raw)) for event in after.events(GAME)]
    originals = [(event.tick, event.name, dict(event.raw)) for event in replay.events(GAME)]
    assert [event[:2] for event in events] == [event[:2] for event in originals]
    fields = [event[2] for event in events]
    assert fields[0]["m_name"].decode() == made["Latecomer"]
    assert fields[0]["m_toonHandle"].decode() == made["1-S2-1-77777"]
    assert fields[0]["m_clanTag"].decode() == made["LATE"]
    assert fields[1]["m_name"].decode() == f"Bank of {made['Needle']}"
    assert fields[2] == originals[2][2]
    assert fields[3]["m_chatMessage"] == b""
    (info,) = fields[4]["m_userInfos"]
    assert info["m_name"].decode() == made["Taker"]
    assert info["m_toonHandle"].decode() == after.players[0].account == made["2-S2-1-1000001"]
    assert fields[5] == originals[5][2]


def test_what_cannot_be_read_is_left_out() -> None:
    stream = EventWriter(TABLE, MESSAGE)
    stream.write(60, 0, "SChatMessage", m_recipient=0, m_string=b"hello")
    whole = stream.to_bytes()
    data = write_archive(
        [
            NewMember(member_names.DETAILS, write_details(DETAILS)),
            NewMember(member_names.INIT_DATA, b"Needle" * 9),
            NewMember(member_names.MESSAGE_EVENTS, whole + b"\x03Dle"),
        ],
        write_header(HEADER),
    )
    replay = open_sc2(data)
    assert len(replay.problems) == 2
    done = anonymize(replay.recording, salt=b"")
    after = open_sc2(done.data)
    assert after.problems == ()
    assert done.removed == (member_names.INIT_DATA,)
    assert done.cut == (member_names.MESSAGE_EVENTS,)
    assert len(after.recording.container.read_member(member_names.MESSAGE_EVENTS)) == len(whole) - 5
    with pytest.raises(playhead.CorruptReplay):
        anonymize(open_sc2(SAMPLE[: ARCHIVE_OFFSET + 240]).recording)


@pytest.mark.parametrize(
    ("marked", "clan", "name"),
    [
        ("Needle", None, "Needle"),
        ("[HEAD]<sp/>Needle", "HEAD", "Needle"),
        ("[HEAD]Needle", "HEAD", "Needle"),
        ("<HEAD><sp/>Needle", "HEAD", "Needle"),
        ("&lt;HE&amp;D&gt;<sp/>Ne&quot;dle", "HE&D", 'Ne"dle'),
        ("", None, ""),
        ("[]", None, "[]"),
    ],
)
def test_marked_names(marked: str, clan: str | None, name: str) -> None:
    names = Pseudonyms(b"")
    new = names.marked_name(marked)
    expected = {name: names.name(name)} if name else {}
    assert names.made == expected | ({clan: names.clan(clan)} if clan else {})
    assert name not in new or not name
    assert clan is None or new.startswith(marked[0])
    # Once more changes nothing.
    assert names.name(names.name(name)) == names.name(name)


def test_other_texts() -> None:
    names = Pseudonyms(b"")
    assert names.handle("") == ""
    assert names.handle("strange") == names.made["strange"]
    assert names.account(1, "S2", 1, 0) == 0
    assert names.name("Jinro#jinro").startswith(names.name("Jinro") + "#")
    assert names.blob(b"C:\\Users\\Jane Doe\\Cache\\x.s2ma") == b"C:\\Users\\user\\Cache\\x.s2ma"
    assert names.blob(b"\xff\xfe Jinro#jinro \x80") == f"\xff\xfe {names.name('Jinro#jinro')} \x80".encode(
        "latin-1"
    )
    assert names.blob(b"nothing to see") == b"nothing to see"


blobs = st.lists(st.tuples(st.binary(max_size=20), st.booleans(), st.integers(0, 31)), max_size=5)


@given(blobs, st.binary(max_size=60), st.integers(0, 5))
def test_patched_blobs_leave_all_other_bits(
    entries: list[tuple[bytes, bool, int]], new: bytes, which: int
) -> None:
    pool = TypePool()
    number, flag, blob = pool.add(["int", 0, 5]), pool.add(["bool"]), pool.add(["blob", 0, 6])
    fields = [["f", flag, -1], ["m_name", blob, -1], ["n", number, -1], ["__parent", number, -1]][:3]
    entry = pool.add(["struct", fields])
    choice = pool.add(["choice", 0, 2, [[0, "A", entry], [1, "B", number]]])
    optional = pool.add(["optional", choice])
    array = pool.add(["array", 0, 4, optional])
    mixed: list[Any] = [{"A": {"f": f, "m_name": name, "n": n}} for name, f, n in entries] + [{"B": 7}, None]
    out = BitPackedWriter()
    write_packed(out, pool, array, mixed)
    data = out.to_bytes()
    places = list(packed_blobs(pool, array, BitPackedReader(data)))
    assert [(place.path, place.data) for place in places] == [
        ((index, "A", "m_name"), name) for index, (name, _, _) in enumerate(entries)
    ]
    if not places:
        return
    which %= len(places)
    patches = Patches(data)
    patches.set_blob(places[which], new)
    mixed[which]["A"]["m_name"] = new
    expected = BitPackedWriter()
    write_packed(expected, pool, array, mixed)
    assert patches.apply() == expected.to_bytes()


def test_tagged_leaves() -> None:
    out = VersionedWriter()
    out.write_value({0: [b"abc", {3: -5}], 7: None, 9: b""})
    data = out.to_bytes()
    leaves = tagged_leaves(data)
    assert {path: VersionedReader(data[a:b]).read_value() for path, (a, b) in leaves.items()} == {
        (0, 0): b"abc",
        (0, 1, 3): -5,
        (9,): b"",
    }
