"""An anonymised recording is the same game without anybody's words."""

from __future__ import annotations

import re
from pathlib import Path
from uuid import UUID

import pytest
from tests.opened import open_as
from tests.samples.teehistorian import sample_bytes

from playhead import ReplayError
from playhead.bits import ByteWriter
from playhead.teehistorian.replay import TeehistorianReplay
from playhead.teehistorian.stream.extensions import (
    Antibot,
    AuthInit,
    AuthLogin,
    DDNetVersion,
    Extension,
    JoinVersion7,
    LoadSuccess,
    PlayerName,
    SaveSuccess,
    decode_extension,
)
from playhead.teehistorian.stream.header import MAGIC, encode_header
from playhead.teehistorian.stream.messages import ConsoleCommand, Drop, Extra, Finish, Join, Message, NetMessage
from playhead.teehistorian.stream.text import encode_text
from playhead.teehistorian.writing.anonymize import anonymize_recording
from playhead.teehistorian.writing.writer import TeehistorianWriter

UNTOUCHED = ("tick", "message", "client", "extension")
#: Words of the game itself, which are no secrets wherever they stand.
PUBLIC = re.compile(
    rb"default|standard|DDraceNetwork|race[AB]|Tutorial|hot_reload|change_map|Timeout( Protection used)?"
    rb"|Server shutdown|rank|angry|happy|gravity|gun_speed|redacted"
)
#: What stands in the place of the words of others.
REPLACED = re.compile(rb"(player|clan|text|code|key|reason)[0-9]+")


def anonymized(replay: TeehistorianReplay, tmp_path: Path) -> TeehistorianReplay:
    out = tmp_path / "anonymized"
    replay.write_anonymized(out)
    return open_as(TeehistorianReplay, out.read_bytes())


def good_messages(replay: TeehistorianReplay) -> list[Message]:
    found = []
    try:
        for _, message in replay.messages():
            found.append(message)
    except ReplayError:
        pass
    return found


def texts(message: Message) -> list[bytes]:
    """Every text in a message that somebody wrote."""
    found: list[str] = []
    match message:
        case Drop():
            found = [message.reason]
        case ConsoleCommand():
            found = [text for text in message.arguments if not re.fullmatch(r"-?[\d.]{1,6}", text)]
        case NetMessage():
            # Runs of text of two and more letters, whatever the message is.
            return [
                run
                for run in re.split(rb"[\x00-\x1f]+", message.data[1 if message.data[:1] != b"\0" else 17 :])
                if re.search(rb"\w\w", run)
            ]
        case Extra():
            try:
                extension = decode_extension(message)
            except ReplayError:
                return []
            match extension:
                case PlayerName(_, name):
                    found = [name]
                case AuthInit(_, _, key) | AuthLogin(_, _, key):
                    found = [key]
                case DDNetVersion(_, connection, _, text):
                    return [encode_text(text), *([connection.bytes] if connection.int else [])]
                case Antibot(data):
                    return [data]
                case SaveSuccess(_, _, save) | LoadSuccess(_, _, save):
                    found = [line.split("\t")[0] for line in save.split("\n")[1:]]
                case _:
                    pass
        case _:
            pass
    return [encode_text(text) for text in found]


def assert_anonymized(replay: TeehistorianReplay, out: TeehistorianReplay) -> None:
    for name in ("positions", "inputs"):
        assert out.table(name).equals(replay.table(name))
    mine, its = replay.table("messages"), out.table("messages")
    for column in UNTOUCHED:
        assert its[column].to_pylist() == mine[column].to_pylist()
    assert [p.kind for p in out.problems] == [p.kind for p in replay.problems]
    written = PUBLIC.sub(b"", REPLACED.sub(b"", bytes(out.source.data[out.header.size :])))
    for message in good_messages(replay):
        for text in texts(message):
            secret = PUBLIC.sub(b"", text).strip()
            if len(secret) >= 3 and not secret.isdigit():
                assert secret not in written, (text, message)


def test_the_sample(tmp_path: Path) -> None:
    replay = open_as(TeehistorianReplay, sample_bytes())
    out = anonymized(replay, tmp_path)
    assert_anonymized(replay, out)
    assert [p.name for p in out.players] == ["player1", "player3", "player10"]
    assert [p.clan for p in out.players] == ["clan2", "", "clan2"]
    assert out.header.fields["server_name"] == "redacted"
    assert out.header.fields["playhead_anonymized"] == "1"
    assert out.header.fields["map_name"] == "Tutorial"
    assert out.header.fields["config"] == {"sv_tee_historian": "1"}
    commands = [m for m in good_messages(out) if isinstance(m, ConsoleCommand)]
    assert [m.command for m in commands][:7] == [
        "timeout",
        "rank",
        "team",
        "team",
        "practice",
        "unpractice",
        "sv_motd",
    ]
    assert commands[0].arguments == commands[-1].arguments != ("sample-code",)
    assert commands[2].arguments == ("5",)
    assert commands[6].arguments[0].startswith("text")
    # Who took over whom is still to be seen.
    assert out.table("sessions").column("took_over_player").to_pylist() == [None, None, 0]


def packed(*values: int | bytes) -> bytes:
    out = ByteWriter()
    for value in values:
        if isinstance(value, int):
            out.write_packed_int(value)
        else:
            out.write_cstring(value)
    return out.to_bytes()


def write(*messages: Message | Extension, minor: str = "22", header: dict[str, object] | None = None) -> bytes:
    writer = TeehistorianWriter({"version": "2", "version_minor": minor, **(header or {})})
    writer.set_tick(5)
    for message in messages:
        writer.record(message)  # type: ignore[arg-type]
    writer.record(Finish())
    return writer.to_bytes()


def anonymize(*messages: Message | Extension, minor: str = "22") -> list[Message]:
    replay = open_as(TeehistorianReplay, write(*messages, minor=minor))
    out = open_as(TeehistorianReplay, b"".join(anonymize_recording(replay._feed(), replay.header)))
    assert_anonymized(replay, out)
    return good_messages(out)[1:-1]


def test_equal_texts_stay_equal() -> None:
    found = anonymize(
        Join(0),
        ConsoleCommand(0, 128, "save", ("12345",)),
        ConsoleCommand(0, 128, "load", ("12345",)),
        ConsoleCommand(0, 128, "timeout", ("sekrit",)),
        PlayerName(0, "bob"),
        ConsoleCommand(1, 128, "timeout", ("sekrit",)),
        ConsoleCommand(1, 128, "swap", ("bob",)),
        ConsoleCommand(1, 128, "swap", ("12345",)),
        ConsoleCommand(-1, 4, "ban", ("10.11.12.13", "5", "of 10.11.12.13")),
    )
    commands = [m for m in found if isinstance(m, ConsoleCommand)]
    saved, loaded, first, again, swap, number, ban = [m.arguments for m in commands]
    assert saved == loaded == number == ("code1",)
    assert first == again == ("code2",)
    name = decode_extension(next(m for m in found if isinstance(m, Extra)))
    assert isinstance(name, PlayerName)
    assert swap == (name.name,)
    assert ban[1] == "5"


@pytest.mark.parametrize(
    ("command", "given", "kept"),
    [
        ("team", ("5",), ("5",)),
        ("team", ("SECRET",), ("text1",)),
        ("team", ("1234567",), ("text1",)),
        ("emote", ("angry", "5"), ("angry", "5")),
        ("emote", ("SECRET", "99", "more"), ("text1", "99", "text2")),
        ("tune", ("gravity", "0.55"), ("gravity", "0.55")),
        ("tune", ("SECRET", "9"), ("text1", "9")),
        ("tune_zone", ("3", "gun_speed", "1400"), ("3", "gun_speed", "1400")),
        ("change_map", ("SECRET",), ("text1",)),
        ("kick", ("63", "SECRET"), ("63", "text1")),
        ("ban", ("10.9", "5"), ("text1", "5")),
        ("muteid", ("2", "5", "SECRET"), ("2", "5", "text1")),
        ("echo", ("192.168.1.77",), ("text1",)),
        ("say", ("12",), ("text1",)),
        ("ban", ("2130706433", "5"), ("text1", "5")),
        ("ban", ("192.168.1.77:8303",), ("text1",)),
        ("ban", ("[2001:db8::1]:8303",), ("text1",)),
        ("ban", ("10.9.",), ("text1",)),
        ("unban", ("2001:db8::",), ("text1",)),
        ("sv_port", ("2130706433",), ("text1",)),
        ("sv_name", ("1234",), ("text1",)),
        ("bindaddr", ("10",), ("text1",)),
        ("sv_register_host", ("10",), ("text1",)),
        ("sv_max_clients_per_ip", ("10",), ("text1",)),
        ("sv_port", ("8303",), ("8303",)),
        ("sv_name", ("SECRET",), ("text1",)),
        ("sv_rcon_mod_password", ("77777",), ("text1",)),
        ("sv_register_community_token", ("88888",), ("text1",)),
        ("sv_dnsbl_key", ("4444",), ("text1",)),
        ("add_vote", ("SECRET", "say SECRET"), ("text1", "text2")),
    ],
)
def test_arguments_stay_where_the_game_expects_them(
    command: str, given: tuple[str, ...], kept: tuple[str, ...]
) -> None:
    (found,) = anonymize(ConsoleCommand(0, 128 if command in ("team", "emote") else 4, command, given))
    assert isinstance(found, ConsoleCommand)
    assert found.arguments == kept


def test_a_salt_gives_a_person_the_same_name_in_every_recording(tmp_path: Path) -> None:
    names = []
    for number, salt in enumerate(("salt", b"salt", "other")):
        replay = open_as(TeehistorianReplay, write(*[PlayerName(0, "first")][number:], PlayerName(1, "bob")))
        replay.write_anonymized(tmp_path / "out", salt=salt)
        found = open_as(TeehistorianReplay, tmp_path / "out").players
        names.append(found[-1].name)
        assert len({player.name for player in found}) == len(found)
    assert names[0] == names[1] != names[2]
    assert all(re.fullmatch("player[0-9]{1,9}", name or "") for name in names)


def test_settings_in_the_header(tmp_path: Path) -> None:
    config = {
        "sv_port": "8303",
        "bindaddr": "10.9",
        "sv_rcon_password": "7777",
        "sv_name": "ours",
        "sv_map": "raceA",
    }
    header = {"version": "2", "config": config, "tuning": {"gun_speed": "140000"}}
    out = anonymized(open_as(TeehistorianReplay, encode_header(header)), tmp_path)
    assert out.header.fields["tuning"] == {"gun_speed": "140000"}
    assert out.header.fields["config"] == {
        "sv_port": "8303",
        "bindaddr": "redacted",
        "sv_rcon_password": "redacted",
        "sv_name": "redacted",
        "sv_map": "raceA",
    }


def test_only_what_has_the_shape_of_a_servers_head_is_kept(tmp_path: Path) -> None:
    odd = {
        "version": "2",
        "comment": "of somebody",
        "start_time": "last summer",
        "server_port": "192.168.1.77:8303",
        "map_name": "race by 2001:db8::1",
        "game_type": "at 10.11.12.13",
        "server_version": "0.6.4, 16.4",
        "prev_game_uuid": None,
        "uuids": ["teehistorian-test@ddnet.tw", "Somebody Else"],
        "config": {"sv_map": "10.11.12.13", "sv_port": "2130706433", "sv_motd": "4444"},
    }
    found = anonymized(open_as(TeehistorianReplay, encode_header(odd)), tmp_path).header.fields
    kept = {key: value for key, value in found.items() if value != "redacted"}
    assert kept == {
        "version": "2",
        "server_version": "0.6.4, 16.4",
        "prev_game_uuid": None,
        "uuids": ["teehistorian-test@ddnet.tw", "redacted"],
        "config": dict.fromkeys(odd["config"], "redacted"),  # type: ignore[call-overload]
        "playhead_anonymized": "1",
    }


def test_ids_time_and_port_are_replaced_on_request(tmp_path: Path) -> None:
    game, other, save = UUID(int=5), UUID(int=6), UUID(int=7)
    head = {
        "game_uuid": str(game),
        "prev_game_uuid": str(other),
        "start_time": "2026-11-21T01:50:06+0000",
        "server_port": "8303",
    }
    text = f"2\t1\nbob\t{game}\n1"
    data = write(SaveSuccess(5, save, text), header=head)
    replay = open_as(TeehistorianReplay, data)
    asked = {"game_uuid": "", "start_time": "", "server_port": "99"}
    notes = replay.write_anonymized(tmp_path / "out", salt="salt", replace=asked)
    out = open_as(TeehistorianReplay, tmp_path / "out")
    fields = out.header.fields
    assert (fields["start_time"], fields["server_port"]) == ("1970-01-01T00:00:00+0000", "99")
    assert not {fields["game_uuid"], fields["prev_game_uuid"]} & {str(game), str(other)}
    saved = next(decode_extension(m) for m in good_messages(out) if isinstance(m, Extra))
    assert isinstance(saved, SaveSuccess)
    assert saved.save_uuid not in (save, UUID(str(fields["game_uuid"])))
    assert saved.save.split("\t")[-1] == f"{fields['game_uuid']}\n1"
    assert any(note.startswith("replaced: ") and "header game_uuid" in note for note in notes)
    # The next game of the same server still names this one, and a folder gets a file of the new name.
    following = open_as(TeehistorianReplay, write(header={"game_uuid": str(other), "prev_game_uuid": str(game)}))
    following.write_anonymized(tmp_path, salt="salt", replace={"game_uuid": ""})
    written = open_as(TeehistorianReplay, tmp_path / f"{fields['prev_game_uuid']}.teehistorian")
    assert written.header.fields["prev_game_uuid"] == fields["game_uuid"]
    # Without asking they stay.
    replay.write_anonymized(tmp_path / "kept", salt="salt")
    assert {key: open_as(TeehistorianReplay, tmp_path / "kept").header.fields[key] for key in head} == head
    for wrong in ({"map_name": "x"}, {"server_port": "eight"}, {"game_uuid": "mine"}):
        with pytest.raises(ValueError, match=next(iter(wrong))):
            replay.write_anonymized(tmp_path / "out", replace=wrong)


def test_a_person_keeps_the_word_of_a_name_whatever_was_typed_before(tmp_path: Path) -> None:
    words = []
    typed = ConsoleCommand(0, 4, "ban", ("bob",))
    for messages in ((PlayerName(0, "bob"), typed), (typed, PlayerName(0, "bob"))):
        open_as(TeehistorianReplay, write(*messages)).write_anonymized(tmp_path / "out", salt="salt")
        words.append(open_as(TeehistorianReplay, tmp_path / "out").players[0].name)
    assert words[0] == words[1]


def test_a_command_that_no_server_has_loses_its_name() -> None:
    (found,) = anonymize(ConsoleCommand(0, 128, "My Secret", ()))
    assert found == ConsoleCommand(0, 128, "command1", ())


def test_network_messages_keep_numbers_alone() -> None:
    chat7 = packed(24 << 1, 1, -1, b"secret words")
    vote7 = packed(32 << 1, b"kick", b"5", b"because of", 0)
    found = anonymize(
        NetMessage(0, packed(18 << 1, 1) + b"trailing"),
        NetMessage(0, packed(17 << 1, 0, b"secret words")),
        NetMessage(0, packed(99 << 1, b"unknown thing")),
        NetMessage(0, b""),
        NetMessage(0, packed(0) + b"short"),
        NetMessage(0, packed(19 << 1)),
        NetMessage(0, packed(20 << 1, b"cut off")),
        NetMessage(0, packed((18 << 1) | 1, 1) + b"system message"),
        JoinVersion7(1),
        Join(1),
        NetMessage(1, chat7),
        NetMessage(1, vote7),
        NetMessage(1, packed(26 << 1, 1, 5)),
    )
    data = [m.data for m in found if isinstance(m, NetMessage)]
    assert data == [
        packed(18 << 1, 1),
        packed(17 << 1),
        packed(99 << 1),
        b"",
        b"",
        packed(19 << 1),
        packed(20 << 1),
        packed((18 << 1) | 1),
        packed(24 << 1),
        packed(32 << 1),
        packed(26 << 1, 1, 5),
    ]


def test_extensions() -> None:
    unknown = UUID(int=77)
    found = anonymize(
        DDNetVersion(0, UUID(int=5 << 64), 20010, "DDNet of somebody"),
        Antibot(b"whatever it says"),
        Extra(unknown, b"an unknown thing"),
        Extra(PlayerName.uuid, b"\x05cut off"),
        AuthLogin(0, 3, "the_admin"),
    )
    extras = [m for m in found if isinstance(m, Extra)]
    assert decode_extension(extras[0]) == DDNetVersion(0, UUID(int=0), 20010, "")
    assert [m.data for m in extras[1:4]] == [b"", b"", b"\x05"]
    assert decode_extension(extras[4]) == AuthLogin(0, 3, "key1")


def test_saves_lose_their_names() -> None:
    save = "2\t2\t0\t1\t0\nbob\t1\t-0.5\nalice\t7\t1ed87a7e-1d33-4c1d-a961-541e7492ac71\tword\n1\t2\nodd one\t5"
    (extra,) = anonymize(SaveSuccess(5, UUID(int=9), save))
    assert isinstance(extra, Extra)
    found = decode_extension(extra)
    assert isinstance(found, SaveSuccess)
    assert found.save == (
        "2\t2\t0\t1\t0\nplayer1\t1\t-0.5\nplayer2\t7\t1ed87a7e-1d33-4c1d-a961-541e7492ac71\t0\n1\t2\n0\t5"
    )
    (extra,) = anonymize(LoadSuccess(5, UUID(int=9), "no save at all"))
    assert isinstance(extra, Extra)
    found = decode_extension(extra)
    assert isinstance(found, LoadSuccess)
    assert found.save == "text1"


def test_a_cut_save_still_shows_that_it_is_cut() -> None:
    size = 2048 - 1 - len(packed(5)) - 16
    for name in ("b", "a very long name of somebody"):
        save = f"2\t1\n{name}\t" + "1\t" * 2000
        (extra,) = anonymize(SaveSuccess(5, UUID(int=9), save[:size]), minor="6")
        assert isinstance(extra, Extra)
        assert len(extra.data) == 2048
        assert isinstance(decode_extension(extra), SaveSuccess)


def test_a_recording_without_anything_to_count_tells_what_stays(tmp_path: Path) -> None:
    """The last sentence is of kept data in every recording; no other one tells what stays whole."""
    (kept,) = open_as(TeehistorianReplay, MAGIC + b"{secret\0\x40").write_anonymized(tmp_path / "out")
    assert kept.startswith("kept whole: ticks, ")
    *_, kept = open_as(TeehistorianReplay, write(Join(0))).write_anonymized(tmp_path / "out")
    assert kept.startswith("kept: header ")
    assert "; whole: ticks, " in kept
    odd = open_as(TeehistorianReplay, encode_header({"config": "text"})).write_anonymized(tmp_path / "out")
    assert odd[0] == "replaced: header config"
    assert odd[-1].startswith("kept whole: ticks, ")


def test_a_header_that_is_no_json(tmp_path: Path) -> None:
    out = anonymized(open_as(TeehistorianReplay, MAGIC + b"{secret\0\x40"), tmp_path)
    assert out.header.fields == {"version": "2", "playhead_anonymized": "1"}
    odd = {"version": "1", "config": "text", "mod_key": "words", "tuning": {"gravity": "50"}}
    out = anonymized(open_as(TeehistorianReplay, encode_header(odd)), tmp_path)
    assert out.header.fields == {
        "version": "1",
        "config": "redacted",
        "mod_key": "redacted",
        "tuning": {"gravity": "50"},
        "playhead_anonymized": "1",
    }


def test_every_truncation_keeps_the_good_part(tmp_path: Path) -> None:
    data = write(Join(0), PlayerName(0, "bob"), ConsoleCommand(0, 128, "save", ("code",)), Drop(0, "good bye"))
    for cut in range(open_as(TeehistorianReplay, data).header.size, len(data)):
        replay = open_as(TeehistorianReplay, data[:cut])
        out = anonymized(replay, tmp_path)
        assert_anonymized(replay, out)
        assert len(out.problems) == 1
    strict = open_as(TeehistorianReplay, data[:-3], strict=True)
    with pytest.raises(ReplayError):
        strict.write_anonymized(tmp_path / "strict")
    assert not (tmp_path / "strict").exists()


def test_streams_are_anonymized(tmp_path: Path) -> None:
    open_as(TeehistorianReplay, sample_bytes()).write_anonymized(tmp_path / "a")
    open_as(TeehistorianReplay, sample_bytes(), stream=True).write_anonymized(tmp_path / "b")
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


@pytest.mark.slow_interpreted
def test_every_real_file(corpus: Path, step: int, tmp_path: Path) -> None:
    for path in sorted((corpus / "teehistorian").glob("*/*.teehistorian"))[::step]:
        if path.stat().st_size > 1_000_000:
            continue  # a crowd of bots: nothing that the others do not have
        replay = open_as(TeehistorianReplay, path)
        out = anonymized(replay, tmp_path)
        assert_anonymized(replay, out)
        names = {player.name for player in replay.players} - {None}
        assert b"SECRET" not in bytes(out.source.data)  # what a bot of one recording typed into every command
        assert not names & {player.name for player in out.players}
        assert len(out.players) == len(replay.players)
