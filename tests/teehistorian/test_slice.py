"""A slice is a valid recording whose positions, inputs, names and teams in its range are those of the original."""

from __future__ import annotations

import json
import lzma
import random
from contextlib import suppress
from pathlib import Path
from uuid import UUID

import pyarrow as pa
import pyarrow.compute as pc
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.opened import open_as
from tests.samples.teehistorian import sample_bytes

from playhead import ReplayError, TruncatedReplay
from playhead.teehistorian.network import encode_network, six
from playhead.teehistorian.replay import TeehistorianReplay
from playhead.teehistorian.state.connections import Connection
from playhead.teehistorian.stream.extensions import (
    EXTENSIONS,
    AuthInit,
    AuthLogin,
    AuthLogout,
    DDNetVersion,
    JoinVersion6,
    LoadSuccess,
    PlayerFinish,
    PlayerName,
    PlayerRejoin,
    PlayerSwap,
    PlayerTeam,
    SaveSuccess,
    TeamPractice,
)
from playhead.teehistorian.stream.header import MAGIC
from playhead.teehistorian.stream.messages import ConsoleCommand, Drop, Finish, Join, NetMessage
from playhead.teehistorian.writing.slice import slice_recording
from playhead.teehistorian.writing.writer import TeehistorianWriter

SAMPLE = sample_bytes()


def slice_bytes(replay: TeehistorianReplay, start: int, end: int) -> bytes:
    return b"".join(slice_recording(replay._feed(), replay.header, start, end))


def slice_until_damage(replay: TeehistorianReplay, start: int, end: int) -> bytes:
    pieces = []
    with suppress(ReplayError):
        for piece in slice_recording(replay._feed(), replay.header, start, end):
            pieces.append(piece)
    return b"".join(pieces)


def who_is_there(replay: TeehistorianReplay, tick: int) -> list[tuple[object, ...]]:
    # The identity is that of the tick; what a connection was last called may come from behind the slice.
    return [
        (tee.client, tee.x, tee.y, tee.input, tee.team, tee.identity, has_entered(tee.connection, tick))
        # `at` refuses what is behind the last message, which can be before the end that was asked for.
        for tee in replay._moment(tick)
    ]


def has_entered(connection: Connection | None, tick: int) -> bool:
    return connection is not None and connection.ready_tick is not None and connection.ready_tick <= tick


def values_together(ours: pa.ChunkedArray, whole: pa.ChunkedArray) -> list[tuple[object, object]]:
    """Return each pair of values that some row has in both, once."""
    columns = [one.cast(pa.string()) for one in (ours, whole)]
    pairs = pa.table(columns, ["ours", "whole"]).group_by(["ours", "whole"]).aggregate([])
    return [(row["ours"], row["whole"]) for row in pairs.to_pylist()]


def assert_slice_equals_range(replay: TeehistorianReplay, start: int, end: int) -> TeehistorianReplay:
    cut = open_as(TeehistorianReplay, slice_bytes(replay, start, end))
    tick = pc.field("tick")
    for name in ("positions", "inputs"):
        in_range = (tick >= start) & (tick <= end)
        # A slice numbers its sessions anew, and may have another first name of who had told none.
        columns = [name for name in replay.tables[name].column_names if name != "player"]
        ours, whole = (one.table(name).filter(in_range) for one in (cut, replay))
        assert ours.select(columns).equals(whole.select(columns)), (name, start, end)
        sessions = values_together(ours["player"], whole["player"])
        assert len(sessions) == len(pc.unique(whole["player"])), "a session there is one here"
    assert pc.max(cut.table("messages")["tick"]).as_py() in (None, *range(end + 1))
    return cut


@given(st.integers(0, 530), st.integers(0, 300))
def test_any_range_of_the_sample(start: int, length: int) -> None:
    replay = open_as(TeehistorianReplay, SAMPLE)
    start = min(start, replay.index.last_tick)
    end = start + length
    cut = assert_slice_equals_range(replay, start, end)
    assert cut.problems == ()
    assert cut.info.complete
    for tick in range(start, min(end, replay.index.last_tick) + 1, 37):
        assert who_is_there(cut, tick) == who_is_there(replay, tick)


def test_a_client_that_left_while_its_tee_is_there_stays_away() -> None:
    replay = open_as(TeehistorianReplay, SAMPLE)  # client 1 leaves on tick 450, its tee on 451
    for start in range(450, 455):
        cut = assert_slice_equals_range(replay, start, start + 3)
        for tick in range(start, start + 4):
            assert who_is_there(cut, tick) == who_is_there(replay, tick)


def test_the_header_says_what_it_is() -> None:
    replay = open_as(TeehistorianReplay, SAMPLE)
    cut = open_as(TeehistorianReplay, slice_bytes(replay, 100, 200))
    assert cut.header.fields == {**replay.header.fields, "playhead_slice": "100-200"}
    assert json.loads(cut.header.raw) == dict(cut.header.fields)
    again = open_as(TeehistorianReplay, slice_bytes(cut, 150, 160))
    assert again.header.raw.count(b"playhead_slice") == 1
    assert again.header.fields["playhead_slice"] == "150-160"
    empty = open_as(TeehistorianReplay, MAGIC + b"{}\0")
    assert open_as(TeehistorianReplay, slice_bytes(empty, 1, 2)).header.fields == {"playhead_slice": "1-2"}
    broken = open_as(TeehistorianReplay, MAGIC + b"{]\0")
    assert open_as(TeehistorianReplay, slice_bytes(broken, 1, 2)).header.raw == b"{]"


def test_a_slice_of_everything_is_the_recording() -> None:
    replay = open_as(TeehistorianReplay, SAMPLE)
    assert slice_bytes(replay, 0, 10**6).endswith(SAMPLE[replay.header.size :])


def test_what_introduces_a_client_is_repeated() -> None:
    writer = TeehistorianWriter({"version": "2", "version_minor": "22"})
    writer.set_tick(10)
    for cid in (3, 1):
        writer.record(JoinVersion6(cid))
        writer.record(Join(cid))
        writer.record(PlayerName(cid, f"first {cid}"))
    writer.record(AuthLogin(1, 3, "admin"))
    writer.set_tick(20)
    writer.record(PlayerName(3, "second"))
    writer.record(AuthLogout(1))
    writer.record(AuthLogin(1, 2, "mod"))
    writer.record(PlayerTeam(3, 7))
    writer.record(PlayerTeam(1, 8))
    writer.record(TeamPractice(7, 1))
    writer.record(TeamPractice(8, 1))
    writer.set_tick(30)
    writer.record(PlayerTeam(1, 0))
    writer.record(TeamPractice(8, 0))
    writer.record(PlayerRejoin(1))
    writer.record(PlayerName(1, "again"))
    writer.set_tick(60)
    writer.record(Finish())
    replay = open_as(TeehistorianReplay, writer.to_bytes())
    cut = open_as(TeehistorianReplay, slice_bytes(replay, 50, 55))
    assert [(c.cid, c.name, c.known_by, c.protocol) for c in cut.index.connections] == [
        (1, "again", "rejoin", None),
        (3, "second", "join", 6),
    ]
    assert cut.index.teams == [(48, 3, 7)]
    earlier = open_as(TeehistorianReplay, slice_bytes(replay, 25, 26))
    kinds = [getattr(m, "uuid", None) for _, m in earlier.messages()]
    assert kinds.index(AuthLogout.uuid) < kinds.index(AuthLogin.uuid)
    assert kinds.count(AuthLogin.uuid) == 1
    assert kinds.count(TeamPractice.uuid) == 2


#: A server that records all extensions; one that does not know of names (before 18.3).
SERVER = {"version": "2", "version_minor": "6", "uuids": [record.extension_name for record in EXTENSIONS.values()]}
NAMELESS_SERVER = {**SERVER, "uuids": [name for name in SERVER["uuids"] if name != PlayerName.extension_name]}


def enter(writer: TeehistorianWriter, cid: int, name: str, version: int) -> None:
    writer.record(JoinVersion6(cid))
    writer.record(Join(cid))
    writer.record(NetMessage(cid, encode_network(six.StartInfo(name, "clan", -1, "default", 0, 0, 0))))
    writer.record(DDNetVersion(cid, UUID(int=version), version, f"DDNet {version}"))


def assert_every_slice_knows_who_is_there(writer: TeehistorianWriter) -> None:
    writer.set_tick(100)
    writer.record(Finish())
    replay = open_as(TeehistorianReplay, writer.to_bytes())
    for start in range(0, 100, 3):
        cut = open_as(TeehistorianReplay, slice_bytes(replay, start, 99))
        for tick in range(start, 100, 4):
            assert who_is_there(cut, tick) == who_is_there(replay, tick), (start, tick)


def test_logins_recorded_before_the_join() -> None:
    writer = TeehistorianWriter(SERVER)
    writer.record(AuthInit(0, 3, "admin"))
    writer.record(Join(0))
    writer.set_tick(20)
    writer.record(Drop(0, ""))
    writer.set_tick(40)
    writer.record(Join(0))
    assert_every_slice_knows_who_is_there(writer)


def test_a_client_that_came_back_has_the_version_of_its_new_connection() -> None:
    writer = TeehistorianWriter(SERVER)
    enter(writer, 0, "bob", 16040)
    writer.record(AuthLogin(0, 3, "admin"))
    writer.record(ConsoleCommand(0, 128, "timeout", ("code",)))
    writer.set_tick(20)
    enter(writer, 5, "(1)bob", 18090)
    writer.record(AuthLogin(5, 2, "mod"))
    writer.set_tick(40)
    writer.record(ConsoleCommand(5, 128, "timeout", ("code",)))
    writer.record(Drop(5, "Timeout Protection used"))
    writer.set_tick(60)
    writer.record(AuthLogin(0, 1, "helper"))
    assert_every_slice_knows_who_is_there(writer)


def test_what_a_run_is_counted_by_is_in_a_slice_of_its_finish() -> None:
    writer = TeehistorianWriter({**SERVER, "version_minor": "22"})
    enter(writer, 0, "bob", 16040)
    enter(writer, 1, "eve", 16040)
    writer.set_tick(10)
    writer.record(PlayerTeam(0, 5))
    writer.record(ConsoleCommand(0, 128, "load", ("code",)))
    writer.set_tick(12)
    writer.record(LoadSuccess(5, UUID(int=9), "2\t1\nbob\t1"))
    writer.set_tick(20)
    writer.record(TeamPractice(5, 1))
    writer.record(ConsoleCommand(1, 4, "say", ("hello",)))
    writer.set_tick(25)
    writer.record(TeamPractice(5, 0))
    writer.record(PlayerSwap(0, 1))
    writer.set_tick(40)
    writer.record(ConsoleCommand(0, 128, "save", ("code",)))
    writer.set_tick(44)
    writer.record(PlayerFinish(0, 42))
    writer.record(SaveSuccess(5, UUID(int=9), "2\t1\nbob\t1"))
    writer.set_tick(60)
    writer.record(Finish())
    replay = open_as(TeehistorianReplay, writer.to_bytes())
    (run,) = replay.table("runs").to_pylist()
    assert (run["load_tick"], run["practice"], run["swaps"], run["other_commands"]) == (12, True, 1, 1)
    saved = replay.table("saves").to_pylist()[-1]
    assert (saved["event"], saved["client"]) == ("save", 0)
    for start in range(44):
        cut = open_as(TeehistorianReplay, slice_bytes(replay, start, 50))
        assert cut.problems == ()
        assert cut.table("runs").to_pylist() == [run], start
        assert cut.table("saves").to_pylist()[-1] == saved, start
        assert who_is_there(cut, max(start, 44)) == who_is_there(replay, max(start, 44)), start


@pytest.mark.parametrize("header", [SERVER, NAMELESS_SERVER])
def test_a_client_that_connects_again_keeps_its_name(header: dict[str, object]) -> None:
    writer = TeehistorianWriter(header)
    enter(writer, 0, "bob", 16040)
    if header is SERVER:
        writer.record(PlayerName(0, "(1)bob"))
    writer.set_tick(20)
    writer.record(NetMessage(0, encode_network(six.ChangeInfo("bobby", "other", -1, "default", 0, 0, 0))))
    writer.set_tick(40)
    writer.record(PlayerRejoin(0))
    writer.set_tick(60)
    enter_again = six.StartInfo("bob again", "clan", -1, "default", 0, 0, 0)
    writer.record(NetMessage(0, encode_network(enter_again)))
    assert_every_slice_knows_who_is_there(writer)


def test_damage_before_the_end_of_the_range(tmp_path: Path) -> None:
    replay = open_as(TeehistorianReplay, SAMPLE[:3500])
    last = replay.index.last_tick
    out = tmp_path / "out"
    for start, end in ((last - 20, last + 50), (last + 10, last + 50)):
        with pytest.raises(ValueError, match=rf"from tick 0 to {last} \(.*\), got"):
            replay.write_slice(out, start, end)
        assert not out.exists()
    out.write_bytes(slice_until_damage(replay, last - 20, last + 50))
    assert [p.kind for p in replay.problems] == ["TruncatedReplay"]
    cut = open_as(TeehistorianReplay, out)
    assert [p.kind for p in cut.problems] == ["TruncatedReplay"]  # the original does not end regularly either
    assert cut.info.duration_ticks == last
    replay.write_slice(out, 100, 200)
    assert open_as(TeehistorianReplay, out).problems == ()
    strict = open_as(TeehistorianReplay, SAMPLE[:3500], strict=True)
    with pytest.raises(TruncatedReplay):
        strict.write_slice(tmp_path / "none", 1, 10_000)
    assert not (tmp_path / "none").exists()


def test_a_killed_server_has_no_regular_end(tmp_path: Path) -> None:
    replay = open_as(TeehistorianReplay, SAMPLE[:-1])  # FINISH is one byte
    assert slice_bytes(replay, 100, 10**6)[-1:] != b"\x40"
    assert slice_bytes(replay, 100, 110)[-1:] == b"\x40"


def test_streams_are_sliced(tmp_path: Path) -> None:
    path = tmp_path / "in.xz"
    path.write_bytes(lzma.compress(SAMPLE))
    open_as(TeehistorianReplay, path, stream=True).write_slice(tmp_path / "out", "0:04", "0:05")
    assert (tmp_path / "out").read_bytes() == slice_bytes(open_as(TeehistorianReplay, SAMPLE), 200, 250)
    cut = lzma.compress(SAMPLE)[:-100]
    streamed = open_as(TeehistorianReplay, cut, stream=True)
    with pytest.raises(ValueError, match="from tick 0 to"):
        streamed.write_slice(tmp_path / "out", 0, 10**6)
    assert streamed.problems_so_far


@pytest.mark.long
def test_every_truncation_of_a_slice_keeps_the_good_part(step: int) -> None:
    data = slice_bytes(open_as(TeehistorianReplay, SAMPLE), 300, 306)
    whole = open_as(TeehistorianReplay, data)
    rows = {name: whole.table(name).to_pylist() for name in ("messages", "positions", "inputs")}
    ends = [row["offset"] + row["bytes"] for row in rows["messages"]]
    for cut in range(whole.header.size, len(data), step):
        part = open_as(TeehistorianReplay, data[:cut])
        (problem,) = part.problems
        good = max((end for end in ends if end <= cut), default=whole.header.size)
        assert (problem.kind, problem.offset) == ("TruncatedReplay", good)
        assert part.table("messages").to_pylist() == [row for row in rows["messages"] if row["offset"] < good]
        for name in ("positions", "inputs"):
            found = part.table(name).to_pylist()
            assert found == rows[name][: len(found)]


@pytest.mark.long
@pytest.mark.slow_interpreted
def test_ranges_of_every_real_file(corpus: Path, step: int) -> None:
    dice = random.Random(13)
    for path in sorted((corpus / "teehistorian").glob("*/*.teehistorian"))[::step]:
        replay = open_as(TeehistorianReplay, path)
        last = replay.index.last_tick
        ranges = [(0, last), (3, 5), (last, last + 10)]
        ranges += [
            (start, start + dice.choice((0, 50, 500))) for start in dice.sample(range(last + 1), min(last, 5))
        ]
        for start, end in ranges:
            cut = assert_slice_equals_range(replay, start, end)
            if end < last:
                assert cut.problems == ()
            else:
                assert [p.kind for p in cut.problems] == [p.kind for p in replay.problems]
            for tick in {start, (start + end) // 2, min(end, last)}:
                assert who_is_there(cut, tick) == who_is_there(replay, tick), (path.name, start, end, tick)
