"""A lake notices damage: flipped bits, lost files, recordings that grew, names that no file system takes."""

from __future__ import annotations

import json
import math
import os
import shutil
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from random import Random

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.cli.in_process import run as command
from tests.samples.source2.engine import sample_demo

import playhead
from playhead.corpus import DamagedLake, check_lake, compact, manifest, open_lake, repair_lake, scan
from playhead.corpus.write import folder_of
from playhead.errors import ColumnTypeError
from playhead.io.store import FolderStore
from playhead.registry import list_formats

pytestmark = pytest.mark.slow_interpreted


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
    monkeypatch.setattr("playhead.corpus.collection.cores", lambda: 0)


def data_files(lake: Path) -> list[Path]:
    return sorted(path for path in lake.rglob("*.parquet") if not path.relative_to(lake).parts[0].startswith("_"))


def flip(path: Path, random: Random) -> None:
    data = bytearray(path.read_bytes())
    data[random.randrange(len(data))] ^= 1 << random.randrange(8)
    path.write_bytes(data)


def rows(lake: Path) -> dict[str, list[dict[str, object]]]:
    opened = open_lake(lake)
    return {name: opened.table(name).to_pylist() for name in opened.tables}


def test_every_flipped_bit_of_data_is_seen(lake: Path, step: int) -> None:
    random = Random(1)
    files = data_files(lake)
    before = {path: path.read_bytes() for path in files}
    for number in range(60 // step):
        path = files[number % len(files)]
        flip(path, random)
        (fault,) = check_lake(lake)
        assert fault.name == path.relative_to(lake).as_posix()
        with pytest.raises(DamagedLake, match="SHA-256"):
            open_lake(lake, check="whole")
        with pytest.raises(DamagedLake, match="SHA-256"):
            rows(lake)
        path.write_bytes(before[path])
    assert check_lake(lake) == ()


@pytest.mark.long
def test_flipped_bits_of_manifests_plans_and_schemas_change_no_row(lake: Path, step: int) -> None:
    random = Random(2)
    files = [path for name in ("_manifests", "_plans", "_schemas") for path in (lake / name).iterdir()]
    good = rows(lake)
    inputs = open_lake(lake).inputs
    seen = 0
    for number in range(120 // step):
        path = files[number % len(files)]
        before = path.read_bytes()
        flip(path, random)
        seen += bool(check_lake(lake))
        try:
            assert rows(lake) == good
            assert open_lake(lake).inputs.drop_columns(["log"]) == inputs.drop_columns(["log"])
        except (OSError, ValueError):
            assert check_lake(lake)
        path.write_bytes(before)
    assert seen > 60 // step


@pytest.mark.parametrize("damage", ["lost", "cut"])
def test_lost_and_cut_files_are_seen_when_the_lake_is_opened(lake: Path, damage: str) -> None:
    path = data_files(lake)[0]
    if damage == "lost":
        path.unlink()
    else:
        path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(DamagedLake, match="is missing" if damage == "lost" else "expected [0-9]+ bytes"):
        open_lake(lake)
    open_lake(lake, check="none")
    with pytest.raises(ValueError, match="unknown check"):
        open_lake(lake, check="some")
    assert command("lake", "status", lake).returncode == 1
    assert len(check_lake(lake, whole=False)) == 1


@pytest.mark.long
@pytest.mark.stepped
@pytest.mark.parametrize("folder", ["", "_manifests", "_plans", "_schemas"])
@pytest.mark.parametrize("compacted", [False, True])
def test_a_repair_reads_the_inputs_again(inputs: Path, lake: Path, folder: str, compacted: bool) -> None:
    good = rows(lake)
    scan(inputs, jobs=0).export(lake, tables=["info", "players", "events", "frames"])
    if compacted:
        compact(lake, keep=0)
    path = sorted((lake / folder).iterdir())[0] if folder else data_files(lake)[0]
    path.write_bytes(b"no parquet")
    found = command("lake", "check", lake)
    assert found.returncode == 1
    assert path.name in found.stdout
    repaired = command("lake", "check", "--repair", lake)
    assert repaired.returncode == 0, repaired
    assert check_lake(lake) == ()
    after = rows(lake)
    for name in ("info", "players", "events"):
        assert {str(row) for row in after[name]} >= {str(row) for row in good[name]}
    assert command("lake", "check", lake).stdout == "no damage found\n"


#: Facts of a manifest, signed as playhead signs them, that no playhead writes.
FORGED: tuple[tuple[str, object], ...] = (
    ("layout", "x"),
    ("", "a list"),
    ("files", 5),
    ("files", [{"a": 1}]),
    ("empty", [[1]]),
    ("replaces", 7),
    ("replaces", "itself"),
    ("files", "the first twice"),
    ("files", "all but the first"),
    ("table", "chat"),
    ("rows", 1000),
    ("shape", "../../victim"),
    ("shape", ""),
    ("name", "../victim.arrow"),
    ("name", "/etc/passwd"),
    ("name", "a\\..\\b"),
    ("name", 5),
    ("size", "9"),
    ("parts", 7),
)


@pytest.mark.long
@pytest.mark.parametrize(("name", "value"), FORGED)
def test_a_manifest_leads_nowhere_else(lake: Path, name: str, value: object) -> None:
    victim = lake.parent / "victim.arrow"
    victim.write_bytes(b"precious")
    (path,) = (lake / "_manifests").iterdir()
    rows = pq.read_table(path)
    facts = json.loads(rows.schema.metadata[manifest.FACTS])
    meant = {
        "itself": [path.stem],
        "the first twice": [*facts["files"], facts["files"][0]],
        "all but the first": facts["files"][1:],
    }
    for each in [facts] if name in facts else facts["files"]:
        each[name] = meant.get(str(value), value)
    text = json.dumps(facts if name else [facts]).encode()
    signed = {manifest.FACTS: text, manifest.FACTS_DIGEST: manifest._sha256(text)}
    pq.write_table(rows.replace_schema_metadata({**rows.schema.metadata, **signed}), path)
    for look in (open_lake, compact):
        with pytest.raises(ValueError, match="damaged manifest"):
            look(lake)
    assert [fault.what for fault in check_lake(lake)] == ["damaged manifest"]
    repair_lake(lake, jobs=0)
    assert check_lake(lake) == ()
    assert victim.read_bytes() == b"precious"


@pytest.mark.parametrize("compacted", [False, True])
def test_a_recording_that_grew_counts_once(tmp_path: Path, compacted: bool) -> None:
    data = sample_demo()
    path = tmp_path / "growing.dem"
    for size in (len(data) // 2, len(data) * 3 // 4, len(data)):
        path.write_bytes(data[:size])
        scan(path, jobs=0).export(tmp_path / "lake", tables=["info", "frames"])
        if compacted:
            compact(tmp_path / "lake", keep=0)
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


@pytest.mark.parametrize("value", ["x" * 300, "ä" * 300, "../" * 100, "\ud800" * 40, "", ".", ".."])
def test_any_value_is_a_folder(tmp_path: Path, value: str) -> None:
    name = folder_of("info", [("game", value)])
    table, part = name.split("/")
    assert table == "info"
    assert len(part.encode()) < 200
    (tmp_path / name).mkdir(parents=True)
    assert (tmp_path / name).resolve().parent.parent == tmp_path.resolve()
    other = folder_of("info", [("game", value + "y")])
    assert name != other


def test_retry_reads_a_copy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from playhead.corpus.shards import Running

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


@pytest.mark.parametrize(
    ("column", "value"), [("rows", "[]"), ("rows", "{"), ("problems", ["{"]), ("problems", ["[]"])]
)
def test_facts_of_inputs_that_no_playhead_writes(lake: Path, column: str, value: object) -> None:
    (each,) = open_lake(lake).manifests
    place = each.rows.column_names.index(column)
    field = each.rows.schema.field(place)
    forged = each.rows.set_column(place, field, pa.array([value] * each.rows.num_rows, field.type))
    replace(each, rows=forged).write(FolderStore(str(lake)))
    with pytest.raises((DamagedLake, ValueError), match="manifest"):
        _ = open_lake(lake).problems


@pytest.mark.long
@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="pipes of Unix")
@pytest.mark.parametrize("folder", ["_manifests", "_lists", "_plans", "_schemas", "players"])
@pytest.mark.parametrize("what", ["pipe", "hole"])
def test_pipes_and_holes_in_place_of_files(lake: Path, folder: str, what: str) -> None:
    """Nobody writes into the pipe, and the other file claims a terabyte: to read either would never end."""
    before = rows(lake)
    path = next(each for each in sorted((lake / folder).rglob("*")) if each.is_file())
    path.unlink()
    if what == "pipe":
        os.mkfifo(path)
    else:
        path.touch()
        os.truncate(path, 1 << 40)
    assert path.name in " ".join(fault.name for fault in check_lake(lake))
    if folder != "_plans":  # which opening does not need
        with pytest.raises((OSError, ValueError)):
            open_lake(lake, check="whole")
    repair_lake(lake, jobs=0)
    assert check_lake(lake) == ()
    assert rows(lake) == before


def changed(table: pa.Table, what: str) -> pa.Table:
    """Return the rows of a file with a column of another type, without it, or fewer rows."""
    place = table.column_names.index("player")
    if what == "rows":
        return table.slice(1)
    if what == "column":
        return table.drop_columns(["player"])
    return table.set_column(place, "player", table["player"].cast(pa.string()))  # DuckDB would make numbers of it


@pytest.mark.parametrize(
    ("what", "error", "words"),
    [
        ("type", ColumnTypeError, "column player of table players .* int32 in its schema and string in "),
        ("column", DamagedLake, r"columns that its schema lacks, or the reverse: \['player'\]"),
        ("rows", DamagedLake, "rows, found "),
    ],
)
def test_files_of_other_types_are_typed_errors(lake: Path, what: str, error: type[Exception], words: str) -> None:
    path = next(path for path in data_files(lake) if "players" in path.parts and "game=sc2" in path.parts)
    opened = [open_lake(lake) for _ in range(4)]  # which compares sizes
    pq.write_table(changed(pq.read_table(path), what), path)
    piece = next(each for each in opened[0].pieces("players") if path.name in each.file.name)
    told = replace(piece.file, checksum=sha256(path.read_bytes()).hexdigest())  # a manifest that hides it
    for attempt in (
        lambda: opened[0].read(replace(piece, file=told)),
        lambda: opened[1].lazy("players"),
        lambda: opened[2].query("SELECT count(*) FROM players"),
    ):
        with pytest.raises(error, match=words) as caught:
            attempt()
        assert path.name in str(caught.value)
