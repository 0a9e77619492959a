"""One recording decoded by several processes: the same tables, row by row, and the same checks."""

from __future__ import annotations

import lzma
import tracemalloc
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from functools import cache
from importlib import import_module
from itertools import pairwise
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.cli.in_process import run
from tests.opened import open_as
from tests.samples.source2.dota2 import SampleMessages
from tests.samples.source2.match_demo import match_demo

import playhead
from playhead.dota2.replay import Dota2Replay
from playhead.dota2.sources.game_clock import GameClock
from playhead.io.scratch import claim, hand_over, take_over
from playhead.io.source import Source, open_source
from playhead.limits import Limits
from playhead.source2 import stretches
from playhead.source2.container.frames import FULL_PACKET
from playhead.source2.playback.collector import Collector, Jobs, Unjoinable
from playhead.source2.playback.recording import Recording
from playhead.source2.replay import Source2Replay
from playhead.source2.stretches import Stretch
from playhead.source2.tables.request import TableRequest
from playhead.tables.packed import SMALL_ROOM, Room

pytestmark = [pytest.mark.slow_interpreted, pytest.mark.one_of("jobs")]


class Here:
    """Workers in this process, which begin a task when it is submitted."""

    def take(self, _count: int) -> Here:
        return self

    def give_back(self, _pool: Here, *, broken: bool = False) -> None: ...

    def prepare(self, _count: int, _modules: Sequence[str]) -> None: ...

    def submit(self, call: Callable[..., Any], *arguments: Any) -> Future[Any]:
        task: Future[Any] = Future()
        task.set_running_or_notify_cancel()
        task.set_result(call(*arguments))
        return task


class Busy(Here):
    """Workers that begin nothing."""

    def submit(self, call: Callable[..., Any], *arguments: Any) -> Future[Any]:
        return Future()


@pytest.fixture
def shared(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """Whether each pass was shared; passes of small recordings are."""
    monkeypatch.setattr(stretches, "SMALLEST", 0)
    monkeypatch.setattr(stretches, "WORKERS", Here())
    monkeypatch.setattr(stretches, "_STRETCHES", 1)
    monkeypatch.setattr(stretches, "_PASS", 1)
    monkeypatch.setattr(stretches.Sharing, "claim", never_plays_on)
    results: list[bool] = []
    share = stretches.share

    def noted(*arguments: Any) -> Any:
        found = share(*arguments)
        results.append(found is not None)
        return found

    monkeypatch.setattr(stretches, "share", noted)
    return results


def never_plays_on(plan: stretches.Sharing, work: str) -> bool:
    """Refuse the first claim of each stretch, so that each is played by itself."""
    return not (work.isdecimal() and claim(plan.place(f"{work}-first"))) and claim(plan.place(work))


def at_each_full_packet(recording: Recording, _count: int) -> list[Stretch]:
    begins: list[int] = [0, *(number + 1 for number in recording.frames.numbers_of(FULL_PACKET))]
    return list(zip(begins, [*begins[1:], None], strict=True))


def plain(table: pa.Table) -> pa.Table:
    """Return a table with text in place of categories, whose numbers depend on the order of their arrival."""
    for place, field in enumerate(table.schema):
        if pa.types.is_dictionary(field.type):
            table = table.set_column(place, field.name, table.column(place).cast(pa.string()))
    return table


def differences(
    one: playhead.Replay, other: playhead.Replay, jobs: int, names: Sequence[str] | None = None
) -> list[str]:
    """Return the names of the tables that differ between one process and several."""
    expected, found = one.read_tables(names), other.read_tables(names, jobs=jobs)
    return [
        name
        for name, table in expected.items()
        if table.schema != found[name].schema
        or not (plain(table).equals(plain(found[name])) or str(table.to_pylist()) == str(found[name].to_pylist()))
    ]


@cache
def dota() -> bytes:
    return match_demo(0.5, full_packet_every=120, messages=SampleMessages())[0]


@pytest.fixture(scope="module")
def written(short_match: Callable[[str], Path], tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """Returns the match of a game, with full packets on the way."""
    path = tmp_path_factory.mktemp("matches") / "dota2.dem"
    path.write_bytes(dota())
    return lambda game: path if game == "dota2" else short_match(game)


@pytest.mark.long
@pytest.mark.parametrize("jobs", [2, 5])
@pytest.mark.parametrize("game", ["dota2", "cs2", "deadlock"])
def test_every_table_is_the_same(written: Callable[[str], Path], shared: list[bool], game: str, jobs: int) -> None:
    one, other = (open_as(Source2Replay, written(game)) for _ in range(2))
    assert differences(one, other, jobs) == []
    assert shared == [True]
    assert other.verify() == one.verify()
    assert other.problems == one.problems == ()
    assert len(shared) == 1, "the pass for all tables has made the checks"


ANEW = ("combat_log", "buybacks", "player_series", "orders", "inputs", "sounds", "particles", "temp_entities")


@pytest.mark.parametrize("jobs", [2, 5])
def test_tables_that_begin_anew_without_the_rest(shared: list[bool], jobs: int) -> None:
    one, other = (open_as(Dota2Replay, dota()) for _ in range(2))
    assert differences(one, other, jobs, [*ANEW, "chat", "user_messages", "entities:CDOTA_Unit_Hero_*"]) == []
    series = other.table("player_series", every="0.1s", jobs=jobs)
    assert series.to_pylist() == one.table("player_series", every="0.1s").to_pylist()
    assert shared == [True, True]


def test_a_series_of_cs2_begins_anew(written: Callable[[str], Path], shared: list[bool]) -> None:
    one, other = (open_as(Source2Replay, written("cs2")) for _ in range(2))
    for options in ({"every": "0.1s", "raw": ["m_iTeamNum", "m_iClip1"]}, {"ticks": [-1, 0, 64, 3840, 9000]}):
        series = other.table("player_series", jobs=3, **options)
        assert plain(series).equals(plain(one.table("player_series", **options)))
        assert len(series)
    assert shared == [True, True]


def test_an_export(tmp_path: Path, shared: list[bool]) -> None:
    path = tmp_path / "match.dem"
    path.write_bytes(dota())
    done = run("export", path, "-o", tmp_path / "out", "--jobs", "3", "--table", "kills,positions,player_series")
    assert (done.returncode, done.stderr) == (0, "")
    expected = playhead.open(path).read_tables(["kills", "positions", "player_series"])
    for name, table in expected.items():
        assert pq.read_table(tmp_path / "out" / f"{name}.parquet").to_pylist() == table.to_pylist()
    assert shared == [True]


def test_rows_of_an_export_wait_in_a_small_room(shared: list[bool], monkeypatch: pytest.MonkeyPatch) -> None:
    """In every process."""
    rooms: list[int] = []
    monkeypatch.setattr(Room, "__init__", lambda room, left=0: rooms.append(left) or setattr(room, "_left", left))
    assert list(open_as(Dota2Replay, dota()).tables_in_turn(["user_messages"], jobs=3))
    assert shared == [True]
    assert len(rooms) > 1
    assert set(rooms) == {SMALL_ROOM}


def test_a_worker_holds_neither_the_file_nor_the_parts_that_it_has_handed_over(
    written: Callable[[str], Path], shared: list[bool], monkeypatch: pytest.MonkeyPatch
) -> None:
    """It lets the pages of the file go after each stretch, and each part before it makes the next."""
    seen: list[str] = []
    part, hand_over, release = Collector.part, stretches.hand_over, Source.release

    def parting(collector: Collector) -> Any:
        seen.append("part")
        return part(collector)

    def handing(*arguments: Any) -> Any:
        seen.append("hand")
        return hand_over(*arguments)

    def releasing(source: Source) -> None:
        seen.append("release")
        release(source)

    monkeypatch.setattr(Collector, "part", parting)
    monkeypatch.setattr(stretches, "hand_over", handing)
    monkeypatch.setattr(Source, "release", releasing)
    monkeypatch.setattr(stretches, "stretches_of", at_each_full_packet)
    playhead.open(written("dota2")).read_tables(["sounds", "orders", "particles", "temp_entities"], jobs=2)
    assert shared == [True]
    assert seen.count("hand") >= 4
    parts = [step for step in seen if step != "release"]
    assert ("part", "part") not in pairwise(parts)
    assert seen.index("release") < seen.index("part")


def test_what_is_handed_over_is_not_copied(tmp_path: Path) -> None:
    """Neither bytes nor columns are in memory a second time while they are written."""
    size = 8 << 20
    column = pa.array(range(size // 8), pa.int64())
    value = {"bytes": b"a" * size, "column": column}
    tracemalloc.start()
    try:
        handed = hand_over(value, str(tmp_path / "handed"))
        assert tracemalloc.get_traced_memory()[1] < size // 4
    finally:
        tracemalloc.stop()
    taken = take_over(handed)
    assert taken["bytes"] == value["bytes"]
    assert taken["column"].equals(column)
    assert take_over(column) is column, "it was not handed over"


def test_this_process_plays_what_no_other_begins(shared: list[bool], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stretches, "WORKERS", Busy())
    one, other = (open_as(Dota2Replay, dota()) for _ in range(2))
    assert differences(one, other, 3, ANEW) == []
    assert shared == [True]


@pytest.mark.parametrize("share", [0.4, 0.75])
def test_a_cut_recording(shared: list[bool], share: float) -> None:
    data = dota()[: int(len(dota()) * share)]
    one, other = (open_as(Dota2Replay, data) for _ in range(2))
    assert differences(one, other, 3) == []
    assert other.problems == one.problems != ()


def test_damage_is_left_to_one_process(shared: list[bool]) -> None:
    data = bytearray(dota())
    frames = open_as(Dota2Replay, dota()).recording.frames
    middle = frames[len(frames) // 2]
    data[middle.offset + middle.size - 20 : middle.offset + middle.size] = bytes(20)
    one, other = (open_as(Dota2Replay, bytes(data)) for _ in range(2))
    assert differences(one, other, 3) == []
    assert shared == [False]
    assert other.problems == one.problems != ()


def test_small_recordings_and_strict_ones_are_not_shared(
    shared: list[bool], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stretches, "SMALLEST", 1 << 30)
    open_as(Dota2Replay, dota()).read_tables(ANEW, jobs=2)
    assert shared == [False]
    open_as(Dota2Replay, dota(), strict=True).read_tables(ANEW, jobs=2)
    assert shared == [False]


def test_a_clock_that_jumps_between_stretches_does_not_fit() -> None:
    first = [(10, 0, {"m_pGameRules.m_flGameStartTime": 1.0}), (20, 0, {"m_pGameRules.m_flGameStartTime": 1.0})]
    clock = GameClock(30.0)
    clock.seen = [(30, 0, {})]
    clock.put_before([first])
    clock.seen = [(30, 50, {})]
    with pytest.raises(Unjoinable):
        clock.put_before([first])


@pytest.mark.long
@pytest.mark.parametrize("jobs", [2, 5])
def test_real_recordings(
    corpus: Path, shared: list[bool], monkeypatch: pytest.MonkeyPatch, jobs: int, step: int
) -> None:
    """The corpus has short recordings: each full packet is a place to begin."""
    monkeypatch.setattr(stretches, "stretches_of", at_each_full_packet)
    paths = [*sorted((corpus / "source2").glob("*.dem")), corpus / "source2" / "deadlock_broadcast"]
    known = {}
    for path in paths if jobs == 2 else paths[::step]:
        try:
            one, other = (open_as(Source2Replay, path) for _ in range(2))
        except playhead.UnsupportedVersion:
            continue
        known[path.name] = len(at_each_full_packet(one.recording, 0))
        assert differences(one, other, jobs) == [], path.name
        assert other.verify() == one.verify(), path.name
    # Groups of facts are shared without a full packet, too.
    assert sum(shared) >= sum(count > 1 for count in known.values()) >= (6 if jobs == 2 else 1)


def test_a_real_recording_that_is_cut(corpus: Path, shared: list[bool], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stretches, "stretches_of", at_each_full_packet)
    data = (corpus / "source2" / "dota2_build9912_10bots.dem").read_bytes()
    one, other = (open_as(Dota2Replay, data[: len(data) * 9 // 10]) for _ in range(2))
    assert differences(one, other, 3) == []
    assert other.problems == one.problems != ()
    assert shared


def test_processes_play_on_and_divide_what_is_left(tmp_path: Path) -> None:
    def plan() -> stretches.Sharing:
        return stretches.Sharing((), TableRequest(()), ((0, 1),) * 12, 3, str(tmp_path))

    def begun(*numbers: int | str) -> None:
        for number in numbers:
            plan().claim(str(number))

    assert plan().next_stretch(joins=True) == 8, "this process begins with its share at the end"
    assert plan().next_stretch(joins=False) == 0
    begun(0, 8)
    assert plan().next_stretch(joins=False) == 4, "the middle of 1 to 7; the last is for the one that joins"
    begun(1, 4, 9, 10)
    assert plan().next_stretch(joins=False) == 6
    assert not plan().leaves_to_joiner(20), "the one that joins does something else"
    begun(stretches._JOINER, 2)
    assert plan().leaves_to_joiner(60), "5 are left"
    assert not plan().leaves_to_joiner(40)
    begun(3, 5, 6, 7)
    assert plan().next_stretch(joins=False) is None
    assert plan().next_stretch(joins=True) == 11


def test_groups_of_facts_are_as_few_as_let_all_end_together() -> None:
    request = TableRequest(tuple(type("Kind", (Collector,), {"jobs": Jobs(work)}) for work in (5, 150, *[5] * 30)))

    def works(others: int, jobs: int) -> list[int]:
        groups = stretches._groups(request, request.kinds, others, jobs)
        return [sum(kind.jobs.work for kind in group.kinds) for group in groups]

    assert works(300, 2) == [305]
    assert works(100, 2) == works(0, 2) == [155, 150]
    assert works(0, 99) == [150, 20, 20, 20, 20, 15, 15, 15, 15, 15]


@pytest.mark.long
@pytest.mark.parametrize("jobs", [2, 5])
def test_a_written_match_with_a_story(corpus: Path, shared: list[bool], jobs: int) -> None:
    data = lzma.decompress((corpus / "source2" / "dota2_story.dem.xz").read_bytes())
    one, other = (open_as(Dota2Replay, data) for _ in range(2))
    assert differences(one, other, jobs) == []
    assert shared == [True]
    assert other.verify() == one.verify()


@pytest.mark.parametrize("change", ["replaced", "longer", "gone"])
def test_a_file_that_is_replaced_meanwhile_is_not_mixed_with_the_one_that_was_opened(
    change: str,
    written: Callable[[str], Path],
    shared: list[bool],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    path, data = tmp_path / "match.dem", written("dota2").read_bytes()
    path.write_bytes(data)
    replay = playhead.open(path)
    is_still = stretches._is_still

    def changed(*arguments: Any) -> Any:
        path.unlink()
        if change != "gone":
            path.write_bytes(data + b"more" if change == "longer" else data[:-1] + bytes([data[-1] ^ 1]))
        return is_still(*arguments)

    monkeypatch.setattr(stretches, "_is_still", changed)
    assert differences(playhead.open(data), replay, 2, ["player_series", "kills"]) == []
    assert shared == [False]


def test_an_old_file_is_known_by_its_stamp(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "match.dem"
    path.write_bytes(b"abc")
    assert open_source(path, Limits()).stamp is None, "times may not tell changes within seconds"
    monkeypatch.setattr("playhead.io.ordinary._SURELY_OLD", -(1 << 60))
    source = open_source(path, Limits())
    path.write_bytes(b"abcd")
    other = open_source(path, Limits()).stamp
    assert None is not source.stamp != other is not None
    origin = source.origin()
    assert stretches._is_still(origin, source, [source.stamp, source.stamp]), "nobody reads it again"
    assert not stretches._is_still(origin, source, [source.stamp, other])
    path.write_bytes(b"abc")
    assert stretches._is_still(origin, source, [None])


@pytest.mark.parametrize("package", ["dota2", "cs2", "deadlock"])
def test_collectors_say_by_jobs_how_their_work_is_shared(package: str) -> None:
    makers = import_module(f"playhead.{package}.facts").TABLES.makers()
    odd = [
        (kind.__name__, name)
        for kind in makers
        for name in ("work", "anew", "slow_to_join")
        if hasattr(kind, name)
    ]
    assert odd == []
