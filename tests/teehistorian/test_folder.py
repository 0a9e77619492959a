"""A folder of recordings: chains of one server process, finding, and the cache."""

from __future__ import annotations

import hashlib
import lzma
import zipfile
from pathlib import Path
from uuid import UUID

import pytest

from playhead.teehistorian.folder import FolderEntry, Matching, Query, RecordingFolder
from playhead.teehistorian.network import encode_network, six
from playhead.teehistorian.stream.extensions import (
    DDNetVersion,
    Extension,
    PlayerFinish,
    PlayerName,
    PlayerTeam,
    TeamFinish,
)
from playhead.teehistorian.stream.messages import ConsoleCommand, Drop, Finish, Join, Message, NetMessage
from playhead.teehistorian.writing.writer import TeehistorianWriter


def write(
    path: Path,
    game: str | None,
    *rows: tuple[int, Message | Extension],
    previous: str | None = None,
    **header: str,
) -> Path:
    fields = {"version": "2", "map_name": "raceA", "start_time": "2026-01-02T03:04:05+0000", **header}
    if game is not None:
        fields["game_uuid"] = game
    if previous is not None:
        fields["prev_game_uuid"] = previous
    writer = TeehistorianWriter(fields)
    for tick, message in rows:
        writer.set_tick(tick)
        writer.record(message)  # type: ignore[arg-type]
    writer.record(Finish())
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(writer.to_bytes())
    return path


STORY = (
    (10, Join(0)),
    (10, PlayerName(0, "Alice")),
    (20, Join(1)),
    (20, PlayerName(1, "bob")),
    (100, ConsoleCommand(0, 128, "team", ("5",))),
    (110, ConsoleCommand(1, 128, "timeout", ("secret",))),
    (120, ConsoleCommand(-1, 4, "sv_motd", ("hello you",))),
    (600, PlayerFinish(0, 500)),
    (600, TeamFinish(5, 500)),
    (700, Drop(0, "")),
    (710, Join(0)),
    (710, PlayerName(0, "carl")),
    (800, ConsoleCommand(0, 128, "team", ("7",))),
)


@pytest.fixture
def made(tmp_path: Path) -> Path:
    root = tmp_path / "recordings"
    write(root / "b.teehistorian", "two", previous="one", map_name="raceB", start_time="2026-01-02T05:00:00+0000")
    write(root / "deep" / "a.teehistorian", "one", *STORY)
    write(root / "c.teehistorian", "three", previous="two", start_time="2026-01-02T06:00:00+0000")
    write(root / "x.teehistorian", "nine", previous="eight", start_time="2026-01-03T00:00:00+0000")
    (root / "deep" / "a.teehistorian.xz").write_bytes(
        lzma.compress((root / "deep" / "a.teehistorian").read_bytes())
    )
    (root / "junk.teehistorian").write_bytes(b"no recording")
    (root / "notes.txt").write_text("ignored")
    return root


def names(recordings: list[FolderEntry]) -> list[str]:
    return [Path(recording.path).name for recording in recordings]


def test_what_is_there(made: Path) -> None:
    found = RecordingFolder.scan(made)
    assert names(found.recordings) == ["a.teehistorian", "b.teehistorian", "c.teehistorian", "x.teehistorian"]
    assert [Path(path).name for path in found.duplicates] == ["a.teehistorian.xz"]
    ((path, reason),) = found.unreadable.items()
    assert Path(path).name == "junk.teehistorian"
    assert "teehistorian" in reason
    facts = found.recordings[0].facts
    assert (facts.map, facts.last_tick, facts.complete, facts.damage) == ("raceA", 800, True, None)
    assert [(v.name, v.tick, v.end_tick) for v in facts.visits] == [
        ("Alice", 10, 700),
        ("bob", 20, None),
        ("carl", 710, None),
    ]


def test_games_of_one_server_process(made: Path) -> None:
    sessions = RecordingFolder.scan(made).sessions()
    assert [names(session) for session in sessions] == [
        ["a.teehistorian", "b.teehistorian", "c.teehistorian"],
        ["x.teehistorian"],
    ]
    (made / "b.teehistorian").unlink()  # the chain breaks where a game is missing
    sessions = RecordingFolder.scan(made).sessions()
    assert [names(session) for session in sessions] == [
        ["a.teehistorian"],
        ["c.teehistorian"],
        ["x.teehistorian"],
    ]


def test_rings_and_slices_are_alone(tmp_path: Path) -> None:
    write(tmp_path / "a.teehistorian", "a", previous="b")
    write(tmp_path / "b.teehistorian", "b", previous="a")
    write(tmp_path / "c.teehistorian", "c", previous="c")
    write(tmp_path / "d.teehistorian", "c", playhead_slice="1-2")
    write(tmp_path / "e.teehistorian", None)
    write(tmp_path / "f.teehistorian", None)
    found = RecordingFolder.scan(tmp_path)
    assert sorted(names(session)[0] for session in found.sessions()) == names(found.recordings)
    assert len(found.recordings) == 6


def hits(found: RecordingFolder, **query: object) -> list[tuple[str, int, str | None, str]]:
    return [(hit.kind, hit.tick, hit.name, hit.text) for hit in found.find(Query(**query))]  # type: ignore[arg-type]


def test_finding(made: Path) -> None:
    found = RecordingFolder.scan(made)
    assert hits(found, player="alice") == [("visit", 10, "Alice", "")]
    assert hits(found, player="*", matching=Matching.glob) == [
        ("visit", 10, "Alice", ""),
        ("visit", 20, "bob", ""),
        ("visit", 710, "carl", ""),
    ]
    assert hits(found, player="nobody") == []
    assert hits(found, map="raceb") == [("recording", 0, None, "")]
    assert len(hits(found, map="race?", matching=Matching.glob)) == 4
    assert hits(found, command="team") == [("command", 100, "Alice", "team 5"), ("command", 800, "carl", "team 7")]
    assert hits(found, command="team 7") == [("command", 800, "carl", "team 7")]
    assert hits(found, command="team", player="alice") == [("command", 100, "Alice", "team 5")]
    assert hits(found, command="sv_*", matching=Matching.glob) == [("command", 120, None, "sv_motd hello you")]
    assert hits(found, command="team", map="raceB") == []
    assert hits(found, finish=True) == [
        ("finish", 600, "Alice", "in 10.00 s"),
        ("finish", 600, None, "team 5 in 10.00 s"),
    ]
    assert hits(found, finish=True, player="al*", matching=Matching.glob) == [
        ("finish", 600, "Alice", "in 10.00 s")
    ]
    assert hits(found, finish=True, command="timeout *", player="bob", matching=Matching.glob) == [
        ("command", 110, "bob", "timeout secret")
    ]
    (hit,) = found.find(Query(command="team 5"))
    assert hit.time is not None
    assert hit.time.isoformat() == "2026-01-02T03:04:07+00:00"


def test_every_name_that_was_held_and_everything_else_that_tells_people_apart(tmp_path: Path) -> None:
    client = UUID("11111111-2222-3333-4444-555555555555")
    info = six.StartInfo("[D] nick", "clan [x]", 276, "bluekitty", 1, 1, 2)
    write(
        tmp_path / "a.teehistorian",
        "one",
        (10, Join(0)),
        (10, PlayerName(0, "bob")),
        (11, DDNetVersion(0, client, 18090, "DDNet 18.9")),
        (20, PlayerName(0, "bobby")),
        (30, PlayerFinish(0, 20)),
        (40, PlayerName(0, "robert")),
        (50, Drop(0, "")),
        (60, Join(0)),
        (60, PlayerName(0, "[D] nick")),
        (61, NetMessage(0, encode_network(info))),
        (70, ConsoleCommand(0, 128, "timeout", ("kept secret",))),
    )
    found = RecordingFolder.scan(tmp_path)
    bob = [("visit", 10, "bob", "then bobby / robert")]
    for name in ("bob", "BOBBY", "robert"):
        assert hits(found, player=name) == bob
        assert hits(found, player=name, finish=True) == [("finish", 30, "bobby", "in 0.40 s")]
    assert hits(found, version="18090") == bob == hits(found, version="ddnet 18.9")
    assert hits(found, connection_uuid=str(client)) == bob
    nick = [("visit", 60, "[D] nick", "")]
    assert hits(found, player="[d] NICK") == nick
    assert hits(found, player="[D] nick", matching=Matching.glob) == []
    assert hits(found, player=r"^\[d\]", matching=Matching.regex) == nick
    assert hits(found, clan="clan [x]") == nick == hits(found, skin="bluekitty")
    assert hits(found, clan="clan [x]", player="bob") == []
    code = hashlib.sha256(b"kept secret").hexdigest()
    assert hits(found, timeout_hash=code) == nick == hits(found, timeout_hash=code[:8].upper())
    assert hits(found, player="bo") == []
    assert hits(found, player="bo", matching=Matching.regex) == bob
    with pytest.raises(ValueError, match="no regular expression"):
        Query(player="[", matching=Matching.regex)


def test_a_team_has_its_players_and_what_they_did_in_it(tmp_path: Path) -> None:
    write(
        tmp_path / "a.teehistorian",
        "one",
        *((10, Join(0)), (10, PlayerName(0, "Alice")), (20, Join(1)), (20, PlayerName(1, "bob"))),
        (100, PlayerTeam(0, 5)),
        (110, ConsoleCommand(0, 128, "kill", ())),
        (110, ConsoleCommand(1, 128, "kill", ())),
        (120, ConsoleCommand(-1, 4, "kill", ())),
        *((600, PlayerFinish(0, 500)), (600, TeamFinish(5, 500)), (610, TeamFinish(6, 500))),
        (650, PlayerTeam(0, 0)),
        (660, ConsoleCommand(0, 128, "kill", ())),
        version_minor="10",
    )
    found = RecordingFolder.scan(tmp_path)
    assert hits(found, team=5) == [("visit", 10, "Alice", "")]
    assert hits(found, team=5, command="kill") == [("command", 110, "Alice", "kill")]
    without = [("command", 110, "bob", "kill"), ("command", 660, "Alice", "kill")]
    assert hits(found, team=0, command="kill") == without
    finishes = [("finish", 600, "Alice", "in 10.00 s"), ("finish", 600, None, "team 5 in 10.00 s")]
    assert hits(found, team=5, finish=True) == finishes
    assert hits(found, team=5, finish=True, player="alice") == finishes[:1]
    assert hits(found, team=7) == hits(found, team=7, finish=True) == []


def test_damage_leaves_the_good_part(tmp_path: Path) -> None:
    path = write(tmp_path / "a.teehistorian", "one", *STORY)
    whole = path.read_bytes()
    path.write_bytes(whole[:-8])
    (recording,) = RecordingFolder.scan(tmp_path).recordings
    assert not recording.facts.complete
    assert recording.facts.damage is not None
    assert len(recording.facts.commands) == 3
    path.write_bytes(lzma.compress(whole)[:-20])
    (recording,) = RecordingFolder.scan(tmp_path).recordings
    assert "xz" in str(recording.facts.damage)


def test_no_folder(tmp_path: Path) -> None:
    found = RecordingFolder.scan(tmp_path / "none")
    assert (found.recordings, list(found.unreadable)) == ([], [str(tmp_path / "none")])


def test_whatever_every_command_takes(made: Path, tmp_path: Path) -> None:
    """Files, patterns, packs, lists and several of them; by first bytes what does not end in .teehistorian."""
    whole = RecordingFolder.scan(made)
    paths = {Path(each.path).name: Path(each.path) for each in whole.recordings}
    first, second = paths["a.teehistorian"], paths["b.teehistorian"]
    pack = tmp_path / "pack.zip"
    with zipfile.ZipFile(pack, "w") as packed:
        packed.writestr("notes.txt", "no recording")
        packed.writestr("b", second.read_bytes())
    listed = tmp_path / "list.txt"
    listed.write_text(f"{first}\n{pack}\n")
    expected = {each.facts.game_id: each.facts for each in whole.recordings if Path(each.path) in (first, second)}
    inputs: list[str | list[Path | str]] = [[first, f"{pack}::b"], f"@{listed}", [first.parent / "a*n", pack]]
    for recordings in inputs:
        found = RecordingFolder.scan(recordings)
        assert not found.unreadable
        assert {each.facts.game_id: each.facts for each in found.recordings} == expected
        assert {each.path for each in found.recordings} == {str(first), f"{pack}::b"}


@pytest.mark.slow_interpreted
def test_real_recordings(corpus: Path) -> None:
    found = RecordingFolder.scan(corpus / "teehistorian")
    assert found.unreadable == {}
    assert len(found.recordings) == len(list((corpus / "teehistorian").glob("*/*.teehistorian")))
    chains = [session for session in found.sessions() if len(session) > 1]
    assert sorted(Path(session[0].path).parent.name for session in chains) == [
        "head20.1-with-debug-log",
        "old17.4.2",
        "old19.7",
    ]
    assert {len(session) for session in chains} == {3}
    assert all(a.facts.start_time <= b.facts.start_time for a, b, _ in chains)  # type: ignore[operator]
    assert {hit.name for hit in found.find(Query(command="timeout *", matching=Matching.glob))} >= {
        "dora",
        "(1)dora",
    }
    finishes = list(found.find(Query(finish=True, player="alice")))
    assert finishes
    assert {Path(hit.recording.path).parent.name for hit in finishes} == {"head20.1-with-debug-log", "old19.7"}
