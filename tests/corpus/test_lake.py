"""The lake: what goes in comes out, whatever the order, the number of processes and the copies."""

from __future__ import annotations

import math
import random
import shutil
import tarfile
import zipfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pytest

import playhead
from playhead.corpus import TooManyFailures, WorkerLimits, compact, run_shard
from playhead.corpus.reading.lake import Lake
from playhead.corpus.writing.identity import Item
from playhead.corpus.writing.shards import in_order

pytestmark = pytest.mark.slow_interpreted

WriteGames = Callable[..., list[Path]]
#: Tables of each format and of all, where it is no matter which.
SOME = ("info", "players", "chat", "positions", "combat_log", "units")


def plain(table: pa.Table) -> pa.Table:
    """The same with texts in place of dictionaries, whose order is no matter."""
    for place, field in enumerate(table.schema):
        if pa.types.is_dictionary(field.type):
            table = table.set_column(place, field.name, table[place].cast(pa.string()))
    return table


def contents(lake: Lake) -> dict[str, pa.Table]:
    return {name: plain(lake.table(name)) for name in lake.tables}


def assert_same(one: Lake, other: Lake, tables: dict[str, pa.Table] | None = None) -> None:
    """Compare two lakes; `tables` are the contents of the second, if already read."""
    assert one.tables == other.tables
    for name, table in (tables or contents(other)).items():
        assert plain(one.table(name)).equals(table), name
    told = ["replay", "file", "copies", "size", "status", "reason", "problem_count", "problems", "rows"]
    assert one.inputs.select(told).equals(other.inputs.select(told))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory, samples: dict[str, bytes], write_games: WriteGames) -> Path:
    """Replays of every format, copies of some, some damaged, and what is no replay."""
    made = tmp_path_factory.mktemp("corpus")
    write_games(made / "ladder", 6)
    (made / "a_copy.SC2Replay").write_bytes((made / "ladder" / "game3.SC2Replay").read_bytes())
    (made / "match.dem").write_bytes(samples["source2"])
    (made / "cut.dem").write_bytes(samples["source2"][: len(samples["source2"]) // 2])
    (made / "race.teehistorian").write_bytes(samples["teehistorian"])
    (made / "broken.SC2Replay").write_bytes(samples["sc2"][:40])
    (made / "notes.txt").write_text("no replay")
    return made


@pytest.fixture(scope="module")
def lake(tmp_path_factory: pytest.TempPathFactory, folder: Path) -> Lake:
    """That folder, exported by one process in small shards."""
    out = tmp_path_factory.mktemp("lake") / "lake"
    playhead.scan(folder, jobs=0).export(out, tables="all", shard_inputs=3, shard_seconds=math.inf)
    return playhead.open_lake(out)


@pytest.fixture(scope="module")
def rows_of_lake(lake: Lake) -> dict[str, pa.Table]:
    return contents(lake)


@pytest.mark.long
def test_every_table_has_the_rows_of_every_replay(rows_of_lake: dict[str, pa.Table], folder: Path) -> None:
    rows: dict[str, int] = {}
    for path in sorted(folder.rglob("*.*")):
        if path.name in ("a_copy.SC2Replay", "notes.txt", "broken.SC2Replay"):
            continue
        with playhead.open(path) as replay:
            for name, table in replay.read_tables().items():
                rows[name] = rows.get(name, 0) + table.num_rows
    assert {name: table.num_rows for name, table in rows_of_lake.items()} == rows


def test_rows_are_those_of_the_replay(lake: Lake, folder: Path) -> None:
    path = folder / "match.dem"
    with playhead.open(path) as replay:
        for name in ("players", "chat", "positions", "combat_log"):
            expected = replay.table(name)
            table = lake.table(name)
            mine = table.filter(pc.equal(table["replay"].cast(pa.string()), replay.content_hash))
            assert set(mine["file"].to_pylist()) == {str(path)}
            assert mine.select(expected.column_names).to_pylist() == expected.to_pylist()


def test_what_is_told_of_the_inputs(lake: Lake, folder: Path) -> None:
    rows = {Path(row["file"]).name: row for row in lake.inputs.to_pylist()}
    assert lake.status() == {"whole": 8, "partial": 1, "failed": 1, "quarantined": 0, "copies": 1}
    assert "notes.txt" not in rows
    assert rows["broken.SC2Replay"]["status"] == "failed"
    assert rows["broken.SC2Replay"]["reason"] in ("corrupt", "truncated")
    assert rows["cut.dem"]["status"] == "partial"
    assert rows["cut.dem"]["problems"]
    assert rows["match.dem"]["format"] == "source2"
    # The copy that comes first by name is read.
    assert rows["a_copy.SC2Replay"]["copies"] == [str(folder / "ladder" / "game3.SC2Replay")]
    assert "game3.SC2Replay" not in rows


@pytest.mark.long
@pytest.mark.one_of("seed")
@pytest.mark.parametrize("seed", [1, 2])
def test_jobs_order_and_shards_make_no_difference(
    seed: int, lake: Lake, rows_of_lake: dict[str, pa.Table], folder: Path, tmp_path: Path
) -> None:
    names = [str(path) for path in folder.rglob("*.*") if path.name != "notes.txt"]
    random.Random(seed).shuffle(names)
    playhead.scan(names, jobs=2 - seed).export(tmp_path, tables="all", shard_inputs=3 * seed)
    assert_same(playhead.open_lake(tmp_path), lake, rows_of_lake)


def test_the_last_shards_are_read_in_turns() -> None:
    counts = {"a": 2, "b": 1, "c": 3}
    shards = [tuple(Item(f"{name}{i}", "") for i in range(n)) for name, n in counts.items()]
    order = "".join(shard[place].id for shard, _, place in in_order(shards, 2))
    assert order == "a0a1b0c0c1c2", "the last two are complete together"
    assert [len(list(in_order(shards, jobs))) for jobs in (1, 9)] == [6, 6]
    assert not list(in_order([], 2))


def test_a_second_run_reads_what_is_new_and_what_failed(
    folder: Path, tmp_path: Path, write_games: WriteGames
) -> None:
    mine = tmp_path / "in"
    shutil.copytree(folder, mine)
    out = tmp_path / "lake"
    first = playhead.scan(mine, jobs=0).export(out, tables=SOME)
    assert (first.progress.done, first.copies, first.skipped) == (10, 1, 1)
    write_games(mine, 2, start=100)
    second = playhead.scan(mine, jobs=0).export(out, tables=SOME)
    assert (second.progress.done, second.progress.held, second.progress.failed) == (3, 9, 1)
    third = playhead.scan(mine, jobs=0).export(out, tables=SOME)
    assert (third.progress.done, third.progress.held) == (1, 11)
    lake = playhead.open_lake(out)
    assert lake.status()["whole"] == 10
    fresh = tmp_path / "fresh"
    playhead.scan(mine, jobs=0).export(fresh, tables=SOME)
    assert_same(lake, playhead.open_lake(fresh))


@pytest.mark.long
def test_more_tables_are_added(folder: Path, tmp_path: Path) -> None:
    corpus = playhead.scan(folder / "ladder", jobs=0)
    assert corpus.export(tmp_path, tables=["players"]).progress.done == 6
    assert corpus.export(tmp_path, tables="players").progress.done == 0
    assert corpus.export(tmp_path, tables=["players", "chat"]).progress.done == 6
    lake = playhead.open_lake(tmp_path)
    assert lake.tables == ("chat", "info", "players")
    assert lake.table("players").num_rows == corpus.table("players").num_rows
    assert lake.query("SELECT count(*) AS n FROM players")["n"].to_pylist() == [lake.table("players").num_rows]
    assert len(lake.lazy("players").collect()) == lake.table("players").num_rows
    before = plain(lake.table("players"))
    compact(tmp_path, keep_hours=0)
    again = playhead.open_lake(tmp_path)
    assert plain(again.table("players")).equals(before)


def test_a_later_version_supersedes(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    corpus = playhead.scan(folder / "ladder", jobs=0)
    corpus.export(tmp_path, tables=["players"])
    before = plain(playhead.open_lake(tmp_path).table("players"))
    for module in ("commits", "export"):
        monkeypatch.setattr(f"playhead.corpus.writing.{module}.__version__", "99.1.0")
    assert corpus.export(tmp_path, tables=["players"]).progress.done == 6
    lake = playhead.open_lake(tmp_path)
    assert plain(lake.table("players")).equals(before)
    assert set(lake.inputs["playhead"].to_pylist()) == {"99.1.0"}
    assert lake.query("SELECT count(*) AS n FROM players")["n"].to_pylist() == [before.num_rows]
    compact(tmp_path, keep_hours=0)
    assert plain(playhead.open_lake(tmp_path).table("players")).equals(before)


def test_two_shards_of_one_replay_store_no_row_twice(folder: Path, tmp_path: Path) -> None:
    games = sorted((folder / "ladder").iterdir())
    run_shard(games[:4], tmp_path, tables=["players"], jobs=0)
    run_shard(games[2:], tmp_path, tables=["players"], jobs=0)
    lake = playhead.open_lake(tmp_path)
    assert lake.table("players").num_rows == playhead.scan(folder / "ladder", jobs=0).table("players").num_rows
    assert lake.query("SELECT count(*) AS n FROM players")["n"].to_pylist() == [lake.table("players").num_rows]
    assert len(lake.lazy("players").collect()) == lake.table("players").num_rows


@pytest.mark.long
def test_run_shard_adds_its_inputs_once(folder: Path, tmp_path: Path) -> None:
    games = sorted((folder / "ladder").iterdir())
    rows = run_shard(games, tmp_path)
    assert rows.num_rows == 6
    assert run_shard([str(path) for path in reversed(games)], tmp_path).num_rows == 0, "nothing is read again"
    assert playhead.open_lake(tmp_path).inputs.equals(rows.sort_by("replay"))


@pytest.mark.long
def test_compaction_changes_no_row(folder: Path, tmp_path: Path, step: int) -> None:
    asked: Any = {"shard_inputs": 2, "tables": None if step == 1 else SOME}
    playhead.scan(folder, jobs=0).export(tmp_path, **asked)
    before = playhead.open_lake(tmp_path)
    tables = contents(before)
    done = compact(tmp_path)
    assert done.files_after < done.files_before
    assert done.removed == 0
    assert all(plain(before.table(name)).equals(table) for name, table in tables.items())  # who reads goes on
    after = playhead.open_lake(tmp_path)
    assert_same(after, before, tables)
    assert compact(tmp_path, keep_hours=0).removed > 0
    assert_same(playhead.open_lake(tmp_path), after, tables)
    assert playhead.scan(folder, jobs=0).export(tmp_path, **asked).progress.done == 1  # the broken one
    assert_same(playhead.open_lake(tmp_path), after, tables)


def test_readers_of_an_old_lake_outlive_its_compaction(tmp_path: Path, write_games: WriteGames) -> None:
    playhead.scan(write_games(tmp_path / "in", 2), jobs=0).export(tmp_path / "lake", tables=SOME, shard_inputs=1)
    opened = playhead.open_lake(tmp_path / "lake")
    assert compact(tmp_path / "lake").removed == 0
    assert opened.table("players").num_rows == playhead.open_lake(tmp_path / "lake").table("players").num_rows
    assert compact(tmp_path / "lake", keep_hours=0).removed > 0


def test_what_failed_may_succeed_after_a_compaction(
    tmp_path: Path, samples: dict[str, bytes], poison: ModuleType, write_games: WriteGames
) -> None:
    games = write_games(tmp_path / "in", 3)
    (tmp_path / "in" / "fault.SC2Replay").write_bytes(samples["sc2"] + b"fault")
    corpus = playhead.scan(tmp_path / "in", jobs=0)
    corpus._running = replace(corpus._running, decoder=poison.poisoned)
    out = tmp_path / "lake"
    assert corpus.export(out, shard_inputs=1, tables=SOME).failed["reason"].to_pylist() == ["internal"]
    compact(out, keep_hours=0)
    assert corpus.export(out, shard_inputs=1, tables=SOME).progress.failed == 1
    healed = playhead.scan(tmp_path / "in", jobs=0).export(out, shard_inputs=1, tables=SOME)
    assert healed.progress.failed == 0
    lake = playhead.open_lake(out)
    assert lake.status()["whole"] == len(games) + 1
    assert len(set(lake.table("info")["replay"].to_pylist())) == 4


@pytest.mark.long
def test_poison_costs_itself(
    tmp_path: Path, samples: dict[str, bytes], poison: ModuleType, write_games: WriteGames
) -> None:
    write_games(tmp_path / "in", 3)
    bad = {"stall": "stalled", "crash": "crashed", "exit": "crashed", "kill": "killed", "fault": "internal"}
    for number, name in enumerate(["once", *bad]):
        (tmp_path / "in" / f"{name}.SC2Replay").write_bytes(samples["sc2"] + bytes([number]) * 5)
    (tmp_path / "in" / "damaged.SC2Replay").write_bytes(samples["sc2"][:30])
    limits = WorkerLimits(seconds=60, stall_seconds=5, memory=None)
    corpus = playhead.scan(tmp_path / "in", jobs=2, worker_limits=limits)
    corpus._running = replace(corpus._running, decoder=poison.poisoned)
    asked: Any = {"shard_inputs": 4, "tables": SOME}
    report = corpus.export(tmp_path / "lake", **asked)
    lake = playhead.open_lake(tmp_path / "lake")
    assert lake.status() == {"whole": 4, "partial": 0, "failed": 2, "quarantined": 4, "copies": 0}
    rows = {Path(row["file"]).stem: row for row in lake.inputs.to_pylist()}
    assert {name: rows[name]["reason"] for name in bad} == bad
    for name in ("stall", "crash", "exit", "kill"):
        assert rows[name]["status"] == "quarantined"
        assert rows[name]["attempts"] == 2
    assert rows["crash"]["signal"] == "SIGSEGV"
    assert "Segmentation fault" in rows["crash"]["log"]
    assert "gone" in rows["exit"]["log"]
    assert report.failed.num_rows == 6
    assert not (tmp_path / "lake" / "_scratch").exists()
    # The next run leaves what hung or crashed alone; a retry does not.
    corpus._running = replace(corpus._running, jobs=1)
    assert corpus.export(tmp_path / "lake", **asked).progress.done == 2
    healed = playhead.scan(tmp_path / "in", jobs=0).export(tmp_path / "lake", **asked, retry=True)
    assert (healed.progress.done, healed.progress.failed) == (6, 1)
    healthy = playhead.scan(tmp_path / "in" / "*.SC2Replay", jobs=0)
    healthy.export(tmp_path / "healthy", tables=SOME)
    one, other = playhead.open_lake(tmp_path / "lake"), playhead.open_lake(tmp_path / "healthy")
    assert all(table.equals(plain(other.table(name))) for name, table in contents(one).items())


@pytest.mark.long
def test_too_many_failures_stop(tmp_path: Path, samples: dict[str, bytes], write_games: WriteGames) -> None:
    games = tmp_path / "in"
    write_games(games, 6)
    for number in range(4):
        (games / f"damaged{number}.SC2Replay").write_bytes(samples["sc2"][: 30 + number])
    with pytest.raises(TooManyFailures, match="20% of 10 allowed"):
        playhead.scan(games, jobs=0).export(tmp_path / "lake", max_failed="20%", shard_inputs=1)
    assert playhead.scan(games, jobs=0).export(tmp_path / "lake", max_failed=4).progress.failed == 4
    with pytest.raises(ValueError, match="expected a number of inputs or a percentage"):
        playhead.scan(games, jobs=0).export(tmp_path / "other", max_failed="some")


def test_empty_tables_have_their_columns(folder: Path, tmp_path: Path) -> None:
    path = folder / "cut.dem"
    playhead.scan(path, jobs=0).export(tmp_path / "lake")
    small = playhead.open_lake(tmp_path / "lake")
    with playhead.open(path) as replay:
        empty = [name for name, table in replay.read_tables().items() if not table.num_rows]
        assert empty
        for name in empty:
            assert small.table(name).column_names == ["replay", "file", *replay.tables[name].column_names], name
            assert small.query(f'SELECT * FROM "{name}"').num_rows == 0


def test_sql_over_formats(lake: Lake) -> None:
    text = "SELECT format, count(DISTINCT replay) AS n FROM players JOIN info USING (replay) GROUP BY 1 ORDER BY 1"
    found = lake.query(text)
    assert found.to_pylist() == [
        {"format": "sc2", "n": 6},
        {"format": "source2", "n": 2},
        {"format": "teehistorian", "n": 1},
    ]
    told = lake.query("SELECT count(*) AS n FROM lake_inputs JOIN info USING (replay)")
    assert told["n"].to_pylist() == [9]


def test_what_a_lake_says_of_tables_that_it_lacks(folder: Path, tmp_path: Path) -> None:
    playhead.scan(folder / "ladder" / "game0.SC2Replay", jobs=0).export(tmp_path / "lake", tables="players")
    held = playhead.open_lake(tmp_path / "lake")
    for look in (held.table, lambda name: held.query(f"FROM {name}")):
        with pytest.raises(Exception, match="no table 'events' in this lake; tables='events' or 'all' exports it"):
            look("events")
        with pytest.raises(Exception, match="did you mean players"):
            look("player")
    playhead.scan(folder / "broken.SC2Replay", jobs=0).export(tmp_path / "failed")
    failed = playhead.open_lake(tmp_path / "failed")
    for look in (failed.table, lambda name: failed.query(f"SELECT * FROM {name}")):
        with pytest.raises(Exception, match=r"the lake has none, because no input could be read \(1 \w+\)"):
            look("players")
    assert failed.query("FROM lake_inputs").num_rows == 1


def test_shards_by_time(tmp_path: Path, write_games: WriteGames, monkeypatch: pytest.MonkeyPatch) -> None:
    corpus = playhead.scan(write_games(tmp_path / "in", 6), jobs=0)
    seconds = iter(range(1000))
    monkeypatch.setattr("playhead.corpus.writing.shards.time.monotonic", lambda: next(seconds))
    corpus.export(tmp_path / "lake", tables=SOME, shard_seconds=2)
    lake = playhead.open_lake(tmp_path / "lake")
    assert 1 < len(lake.data_files("info")) <= 6
    corpus.export(tmp_path / "whole", tables=SOME, shard_seconds=math.inf)
    assert_same(lake, playhead.open_lake(tmp_path / "whole"))
    assert corpus.export(tmp_path / "lake", tables=SOME).progress.held == 6
    compact(tmp_path / "lake", keep_hours=0)
    assert_same(playhead.open_lake(tmp_path / "lake"), playhead.open_lake(tmp_path / "whole"))


def test_packs(folder: Path, lake: Lake, tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "pack.zip", "w") as pack:
        for path in sorted((folder / "ladder").iterdir()):
            pack.write(path, f"season/{path.name}")
        pack.writestr("__MACOSX/._x.SC2Replay", b"no")
    for mode, name in (("w", "more.tar"), ("w:gz", "more.tgz")):
        with tarfile.open(tmp_path / name, mode) as archive:
            for path in folder.iterdir():
                if path.is_file():
                    archive.add(path, path.name)
    corpus = playhead.scan(tmp_path, jobs=0)
    report = corpus.export(tmp_path / "lake", tables=SOME)
    # Each of the tars has all but the ladder, which has the original of a copy.
    assert report.copies == 1 + 5
    packed = playhead.open_lake(tmp_path / "lake")
    files = set(packed.inputs["file"].to_pylist())
    assert f"{tmp_path / 'more.tar'}::match.dem" in files
    assert f"{tmp_path / 'pack.zip'}::season/game0.SC2Replay" in files
    assert packed.status() == {**lake.status(), "copies": 6}
    for name in ("positions", "chat", "combat_log"):
        assert plain(packed.table(name)).drop(["file"]).equals(plain(lake.table(name)).drop(["file"]))
    with playhead.open(f"{tmp_path / 'pack.zip'}::season/game0.SC2Replay") as replay:
        assert replay.format == "sc2"
    with pytest.raises(FileNotFoundError, match="no such member"):
        playhead.open(f"{tmp_path / 'pack.zip'}::season/none.SC2Replay")


def test_a_damaged_pack_is_told(tmp_path: Path, write_games: WriteGames) -> None:
    (tmp_path / "pack.zip").write_bytes(b"PK\3\4 and nothing")
    write_games(tmp_path, 1)
    found = playhead.scan(tmp_path, jobs=0).info().to_pylist()
    assert sorted(row["error"] is None for row in found) == [False, True]


def test_a_corpus_without_a_lake(folder: Path) -> None:
    corpus = playhead.scan(folder, jobs=0)
    info = corpus.info()
    assert info.num_rows == len(corpus) == 10
    assert sum(row["error"] is not None for row in info.to_pylist()) == 1
    assert info["status"].to_pylist().count("failed") == 1
    unread = pytest.warns(UserWarning, match=r"1 of 10 inputs add no rows .*broken\.SC2Replay")
    with unread:
        players = corpus.table("players")
    assert players.column_names[:3] == ["replay", "file", "player"]
    assert len(set(players["replay"].to_pylist())) == 9
    with unread:
        chat = corpus.table("chat").num_rows
        assert corpus.to_polars("chat").height == corpus.to_pandas("chat").shape[0] == chat
    with unread:
        connection = corpus.to_duckdb(["chat"])
    assert connection.sql("SELECT count(*) FROM chat").fetchall() == [(chat,)]
    connection.close()
    assert corpus.copies == {str(folder / "a_copy.SC2Replay"): (str(folder / "ladder" / "game3.SC2Replay"),)}
    with pytest.raises(KeyError, match="did you mean players"):
        corpus.table("player")
    told = corpus.problems.to_pylist()
    assert {Path(row["file"]).name for row in told} == {"cut.dem", "broken.SC2Replay"}


def test_filters(folder: Path, tmp_path: Path) -> None:
    corpus = playhead.scan(folder, jobs=0)
    build = next(row["build"] for row in corpus.info().to_pylist() if row["format"] == "sc2")
    assert len(corpus.filter(format="sc2")) == 6
    assert len(corpus.filter(format="sc2", build=f">={build}")) == 6
    with pytest.warns(UserWarning, match=f"no replay has build '<{build}'; there are {build}"):
        assert len(corpus.filter(format="sc2").filter(build=f"<{build}")) == 0
    assert len(corpus.filter(format=["sc2", "tee*"])) == 7
    assert len(corpus.filter(duration_seconds=lambda value: value is None)) == 1
    assert len(corpus.filter(start_time=">=1990-01-01", format="s*")) == len(
        corpus.filter(format="s*", start_time=lambda value: value)
    )
    with pytest.raises(KeyError, match="did you mean format"):
        corpus.filter(formt="sc2")
    corpus.filter(format="teehistorian").export(tmp_path)
    assert playhead.open_lake(tmp_path).status()["whole"] == 1


def test_a_changed_file_is_not_taken_for_the_old_one(
    tmp_path: Path, samples: dict[str, bytes], write_games: WriteGames
) -> None:
    (path,) = write_games(tmp_path / "in", 1)
    corpus = playhead.scan(path, jobs=0)
    assert len(corpus) == 1
    path.write_bytes(samples["sc2"] + b"other")
    report = corpus.export(tmp_path / "lake")
    assert report.failed["reason"].to_pylist() == ["changed"]
    assert playhead.scan(path, jobs=0).export(tmp_path / "lake").progress.statuses == {"whole": 1}


def test_a_folder_of_something_else_is_left_alone(tmp_path: Path, folder: Path) -> None:
    (tmp_path / "thesis.txt").write_text("mine")
    with pytest.raises(FileExistsError, match=r"holds thesis\.txt"):
        playhead.scan(folder, jobs=0).export(tmp_path)
    with pytest.raises(FileNotFoundError, match="there is no lake"):
        playhead.open_lake(tmp_path)
    with pytest.raises(ValueError, match="did you mean players"):
        playhead.scan(folder).export(tmp_path / "lake", tables="player")


def test_info_has_when_it_was_played(folder: Path, tmp_path: Path) -> None:
    corpus = playhead.scan(folder, jobs=0)
    corpus.export(tmp_path / "lake")
    lake = playhead.open_lake(tmp_path / "lake")
    assert {*corpus.info()["played_at_is"].to_pylist()} == {"start", "end_less_duration", None}
    for name in ("played_at", "played_at_is"):
        assert lake.info()[name].to_pylist() == corpus.info()[name].to_pylist()
    day = {"played_at": ">=2000-01-01"}
    assert "sc2" in {*corpus.filter(**day).info()["game"].to_pylist()}  # it has the end only
    assert lake.filter(**day).replays == corpus.filter(**day).replays


def test_info_has_when_it_began_and_when_it_ended(folder: Path) -> None:
    rows = [row for row in playhead.scan(folder, jobs=0).info().to_pylist() if row["error"] is None]
    assert any(row["end_time"] for row in rows)  # StarCraft II has the end only
    for row in rows:
        with playhead.open(row["file"]) as replay:
            assert (row["start_time"], row["end_time"]) == (replay.info.start_time, replay.info.end_time)
