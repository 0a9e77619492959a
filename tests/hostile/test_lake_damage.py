"""A lake notices damage: flipped bits, lost files, recordings that grew, names that no file system takes."""

from __future__ import annotations

import json
import math
import os
import re
import shutil
import tarfile
from pathlib import Path
from random import Random

import pyarrow.parquet as pq
import pytest
from tests.cli.in_process import run as command
from tests.samples.source2.engine import sample_demo

import playhead
from playhead.corpus import DamagedLake, check_lake, compact, open_lake, remove, repair_lake, scan
from playhead.corpus.delta import folder_of
from playhead.registry import list_formats

pytestmark = pytest.mark.slow_interpreted

pytest.importorskip("deltalake", reason="a lake is Delta tables")


@pytest.fixture(scope="module")
def inputs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("inputs")
    for format in list_formats():
        format.write_sample(folder)
    return folder


@pytest.fixture(scope="module")
def written(inputs: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    lake = tmp_path_factory.mktemp("written") / "lake"
    scan(inputs, jobs=0).export(lake, tables=["info", "players", "events"], shard_seconds=math.inf)
    return lake


@pytest.fixture
def lake(written: Path, tmp_path: Path) -> Path:
    return shutil.copytree(written, tmp_path / "lake")


@pytest.fixture(autouse=True)
def in_this_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """Commands read in this process: workers take longer to start than to read samples."""
    monkeypatch.setattr("playhead.corpus.reading.collection.cores", lambda: 0)


def data_files(lake: Path) -> list[Path]:
    return sorted(lake.glob("*/*.parquet"))


def flip(path: Path, random: Random) -> None:
    data = bytearray(path.read_bytes())
    data[random.randrange(len(data))] ^= 1 << random.randrange(8)
    path.write_bytes(data)


def rows(lake: Path) -> dict[str, list[dict[str, object]]]:
    opened = open_lake(lake)
    return {name: opened.table(name).to_pylist() for name in opened.tables}


def test_a_flipped_bit_of_data_changes_no_row(lake: Path, step: int) -> None:
    """Each page has a checksum; the few bytes that have none do not change a value, or are an error."""
    random = Random(1)
    good = rows(lake)
    files = data_files(lake)
    seen = 0
    for number in range(60 // step):
        path = files[number % len(files)]
        before = path.read_bytes()
        flip(path, random)
        try:
            assert rows(lake) == good
        except (OSError, ValueError):
            seen += 1
            assert check_lake(lake)
        path.write_bytes(before)
    assert seen > 15 // step
    assert check_lake(lake) == ()


@pytest.mark.parametrize("damage", ["lost", "cut"])
@pytest.mark.parametrize("table", ["players", "info"])
def test_a_repair_and_a_retry_read_the_inputs_again(lake: Path, inputs: Path, table: str, damage: str) -> None:
    good = rows(lake)
    path = next(each for each in data_files(lake) if each.parent.name == table)
    path.unlink() if damage == "lost" else path.write_bytes(path.read_bytes()[:-9])
    with pytest.raises(DamagedLake, match=path.name):
        rows(lake)
    (fault,) = check_lake(lake, whole=False)
    assert fault.name == f"{table}/{path.name}"
    outcome = command("lake", "check", lake, "--repair")
    assert outcome.returncode == 1
    assert path.name in outcome.stdout
    if table == "info":  # nothing tells of its replays any more: they are new to the next export
        assert len(open_lake(lake)) == 3
        scan(inputs, jobs=0).export(lake, tables=["info", "players", "events"])
    else:
        assert open_lake(lake).inputs["reason"].to_pylist().count("lost") == 1
        assert command("lake", "retry", lake).returncode == 0
    assert check_lake(lake) == ()
    assert rows(lake) == good
    assert command("lake", "check", lake).stdout == "no damage found\n"


def test_rows_that_are_gone_are_told(lake: Path) -> None:
    """Another program that deletes rows leaves `info` as it was: the lake says so, and never answers with less."""
    import deltalake

    deltalake.DeltaTable(str(lake / "players")).delete("player = 0")
    with pytest.raises(DamagedLake, match=r"rows of players are missing"):
        rows(lake)
    (fault,) = check_lake(lake)
    assert "other numbers of rows" in fault.what
    assert repair_lake(lake)[1] >= 2
    assert command("lake", "retry", lake).returncode == 0
    assert check_lake(lake) == ()


def test_a_replay_with_two_rows_is_told(lake: Path) -> None:
    """A program that adds a data file of `info` again gives its replay two rows."""
    log = lake / "info" / "_delta_log"
    latest = max(log.glob("*.json"))
    added = next(json.loads(line)["add"] for line in latest.read_text().splitlines() if '"add"' in line)
    shutil.copy(lake / "info" / added["path"], lake / "info" / "again.parquet")
    (log / f"{int(latest.stem) + 1:020}.json").write_text(json.dumps({"add": {**added, "path": "again.parquet"}}))
    with pytest.raises(DamagedLake, match="see playhead lake check"):
        rows(lake)
    (fault,) = check_lake(lake)
    assert re.match(r"\d+ replays have several rows, first ", fault.what)


def test_a_data_file_with_a_column_twice_is_told(lake: Path) -> None:
    log = lake / "players" / "_delta_log"
    latest = max(log.glob("*.json"))
    added = next(json.loads(line)["add"] for line in latest.read_text().splitlines() if '"add"' in line)
    path = lake / "players" / added["path"]
    held = pq.read_table(path, partitioning=None)
    pq.write_table(held.append_column("file", held["file"]), lake / "players" / "twice.parquet")
    again = {**added, "path": "twice.parquet", "size": (lake / "players" / "twice.parquet").stat().st_size}
    actions = [{"remove": {"path": added["path"], "dataChange": True, "deletionTimestamp": 0}}, {"add": again}]
    (log / f"{int(latest.stem) + 1:020}.json").write_text("\n".join(map(json.dumps, actions)))
    with pytest.raises(DamagedLake):
        rows(lake)
    assert check_lake(lake)


@pytest.mark.parametrize("path", ["../../secret.parquet", "/etc/passwd", "file:///etc/passwd", "a/./b.parquet"])
def test_a_log_leads_nowhere_else(lake: Path, path: str) -> None:
    log = lake / "players" / "_delta_log"
    latest = max(log.glob("*.json"))
    action = {
        "path": path,
        "partitionValues": {"game": "sc2"},
        "size": 9,
        "modificationTime": 0,
        "dataChange": True,
    }
    action["stats"] = json.dumps({"numRecords": 1})
    (log / f"{int(latest.stem) + 1:020}.json").write_text(json.dumps({"add": action}))
    with pytest.raises(DamagedLake, match=r"elsewhere|cannot be read"):
        rows(lake)


def test_a_log_that_cannot_be_read_is_told(lake: Path) -> None:
    max((lake / "players" / "_delta_log").glob("*.json")).write_text("{")
    with pytest.raises(DamagedLake, match="its log cannot be read"):
        rows(lake)
    assert [fault.name for fault in check_lake(lake)] == ["players"]


def test_links_and_pipes_in_place_of_files(lake: Path, tmp_path: Path) -> None:
    path = next(each for each in data_files(lake) if each.parent.name == "players")
    outside = path.rename(tmp_path / "outside.parquet")
    path.symlink_to(outside)
    with pytest.raises(DamagedLake, match=path.name):
        rows(lake)
    path.unlink()
    os.mkfifo(path)
    with pytest.raises(DamagedLake, match=path.name):
        rows(lake)
    assert [fault.what for fault in check_lake(lake)] == ["is a link or pipe"]


def test_no_file_has_a_removed_replay(lake: Path) -> None:
    opened = open_lake(lake)
    gone = opened.filter(format="sc2").replays
    others = {name: [row for row in held if row["replay"] not in gone] for name, held in rows(lake).items()}
    assert remove(lake, gone) == 1
    assert rows(lake) == others
    import pyarrow.parquet as pq

    for path in data_files(lake):
        assert gone[0] not in str(pq.ParquetFile(path).read().to_pylist())
    with pytest.raises(DamagedLake, match="open it again"):
        opened.table("players")


def test_the_lake_as_it_was(lake: Path, inputs: Path, tmp_path: Path) -> None:
    import time
    from datetime import UTC, datetime

    before = rows(lake)
    time.sleep(0.05)
    monday = datetime.now(UTC)
    time.sleep(0.05)
    data = next(inputs.glob("*.SC2Replay")).read_bytes()
    (tmp_path / "more.SC2Replay").write_bytes(data + b"more")
    scan(tmp_path / "more.SC2Replay", jobs=0).export(lake, tables="chat")
    compact(lake)
    then = open_lake(lake, at=monday)
    assert {name: then.table(name).to_pylist() for name in then.tables} == before
    assert len(open_lake(lake)) == len(then) + 1
    with pytest.raises(FileNotFoundError, match="there is no lake at 2020"):
        open_lake(lake, at=datetime(2020, 1, 1, tzinfo=UTC))
    with pytest.raises(ValueError, match="time zone"):
        open_lake(lake, at=datetime(2020, 1, 1))


def test_a_lake_of_an_earlier_version_is_told(tmp_path: Path, inputs: Path) -> None:
    (tmp_path / "lake" / "_manifests").mkdir(parents=True)
    (tmp_path / "lake" / "_manifests" / "shard-00.parquet").write_bytes(b"PAR1")
    told = "written by an earlier version of playhead: export again"
    for look in (open_lake, check_lake, compact, repair_lake, scan(inputs, jobs=0).export):
        with pytest.raises(ValueError, match=told):
            look(tmp_path / "lake")
    assert told in command("lake", "status", tmp_path / "lake").stderr


def test_a_lake_of_a_later_layout_is_told(lake: Path) -> None:
    log = lake / "info" / "_delta_log" / f"{0:020}.json"
    log.write_text(log.read_text().replace('"playhead.layout":"2"', '"playhead.layout":"3"'))
    with pytest.raises(ValueError, match="written by a later version of playhead"):
        open_lake(lake)


#: Small lakes that versions have written, each with the rows that it has.
LAKES = Path(__file__).parents[1] / "corpus" / "lakes"


@pytest.mark.parametrize("name", sorted(path.name for path in LAKES.glob("*.tar.gz")))
def test_lakes_of_each_version_are_read(name: str, tmp_path: Path) -> None:
    with tarfile.open(LAKES / name) as archive:
        archive.extractall(tmp_path, filter="data")
    known = json.loads((LAKES / name.replace(".tar.gz", ".json")).read_text())
    assert check_lake(tmp_path / "lake") == ()
    opened = open_lake(tmp_path / "lake")
    assert dict(opened.rows) == known["rows"]
    assert [row["name"] for row in opened.table("players").to_pylist()] == known["players"]
    compact(tmp_path / "lake", keep_hours=0)
    assert dict(open_lake(tmp_path / "lake").rows) == known["rows"]


@pytest.mark.parametrize("compacted", [False, True])
def test_a_recording_that_grew_counts_once(tmp_path: Path, compacted: bool) -> None:
    data = sample_demo()
    path = tmp_path / "growing.dem"
    for size in (len(data) // 2, len(data) * 3 // 4, len(data)):
        path.write_bytes(data[:size])
        scan(path, jobs=0).export(tmp_path / "lake", tables=["info", "frames"])
        if compacted:
            compact(tmp_path / "lake", keep_hours=0)
    lake = open_lake(tmp_path / "lake")
    assert lake.inputs.num_rows == 1
    assert lake.table("info").num_rows == 1
    assert lake.table("frames").num_rows == playhead.open(data).table("frames").num_rows
    assert len(set(lake.table("frames")["replay"].to_pylist())) == 1


def test_another_recording_of_the_same_name_counts_too(tmp_path: Path) -> None:
    data = sample_demo()
    path = tmp_path / "latest.dem"
    for content in (data, data[:-1] + b"\1\2\3"):
        path.write_bytes(content)
        scan(path, jobs=0).export(tmp_path / "lake", tables=["info"])
    assert open_lake(tmp_path / "lake").inputs.num_rows == 2


@pytest.mark.parametrize(
    "name", ["x" * 300, "ä" * 300, "../" * 100, "\ud800" * 40, "", ".", "..", "_x", "entities:A"]
)
def test_any_name_is_a_folder(tmp_path: Path, name: str) -> None:
    folder = folder_of(name)
    assert re.fullmatch(r"[\w~.-]{1,199}", folder, re.ASCII)
    (tmp_path / folder).mkdir()
    assert (tmp_path / folder).resolve().parent == tmp_path.resolve()
    assert folder[0] not in "._"
    assert folder != folder_of(name + "y")


def test_retry_reads_a_copy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from playhead.corpus.writing.shards import Running

    data = sample_demo()
    for name in ("a.dem", "b.dem"):
        (tmp_path / name).write_bytes(data)

    def broken(order: object, report: object) -> object:
        raise RuntimeError("a bug")

    corpus = scan([tmp_path / "a.dem", tmp_path / "b.dem"], jobs=0)
    corpus._running = Running(0, corpus._running.limits, broken)
    corpus.export(tmp_path / "lake", tables=["info"])
    assert open_lake(tmp_path / "lake").status()["failed"] == 1
    (tmp_path / "a.dem").unlink()
    assert command("lake", "retry", tmp_path / "lake").returncode == 0
    assert open_lake(tmp_path / "lake").status()["whole"] == 1
