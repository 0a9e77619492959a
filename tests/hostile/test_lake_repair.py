"""A repair of a lake loses nothing: whatever was damaged, wherever it is killed, whichever inputs are gone."""

from __future__ import annotations

import math
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest
from tests.cli.in_process import run as command

from playhead.corpus import DamagedLake, check_lake, compact, open_lake, plan, repair_lake, run_shard, scan
from playhead.corpus.manifest import path_of
from playhead.io.store import FolderStore
from playhead.registry import list_formats

pytestmark = pytest.mark.slow_interpreted

TABLES = ["info", "players", "chat"]


@pytest.fixture(scope="module")
def inputs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("inputs")
    first = [format.write_sample(folder) for format in list_formats()]
    for path in first:
        path.with_stem("other").write_bytes(path.read_bytes() + b"\1\2\3")
    (folder / "broken.SC2Replay").write_bytes(b"MPQ\x1b")
    return folder


@pytest.fixture(scope="module")
def written(inputs: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    lake = tmp_path_factory.mktemp("written") / "lake"
    scan(inputs, jobs=0).export(lake, tables=TABLES, shard_inputs=4, shard_seconds=math.inf)
    return lake


@pytest.fixture
def lake(written: Path, tmp_path: Path) -> Path:
    return shutil.copytree(written, tmp_path / "lake")


@pytest.fixture
def gone(inputs: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """No input can be found, until this is called."""
    there = {"is": False}
    held = os.path.lexists
    monkeypatch.setattr(
        "playhead.corpus.repair.os.path.lexists",
        lambda path: held(path) and (there["is"] or not str(path).startswith(str(inputs))),
    )
    return lambda: there.update({"is": True})


def contents(lake: Path) -> dict[str, list[str]]:
    opened = open_lake(lake)
    return {name: sorted(map(str, opened.table(name).to_pylist())) for name in opened.tables}


def data_files(lake: Path, table: str) -> list[Path]:
    return sorted((lake / table).rglob("*.parquet"))


def manifests(lake: Path) -> list[Path]:
    return sorted((lake / "_manifests").iterdir())


def flip(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[len(data) // 3] ^= 4
    path.write_bytes(data)


def test_a_flipped_bit_and_no_inputs(lake: Path, gone: Callable[[], None]) -> None:
    before = contents(lake)
    flip(data_files(lake, "players")[0])
    lost = open_lake(lake, check="none").manifests
    done = repair_lake(lake, jobs=0)
    assert done.read == 0
    assert {why for _, why, _ in done.lost} == {"there is no such file"}
    assert {tables for *_, tables in done.lost} == {"players"}
    (kept,) = done.kept
    assert (lake / kept).is_file()
    assert check_lake(lake) == ()
    after = contents(lake)
    assert {name: after[name] for name in ("info", "chat")} == {name: before[name] for name in ("info", "chat")}
    opened = open_lake(lake, check="whole")
    assert len(opened) == len({row for each in lost for row in each.rows["replay"].to_pylist()})
    assert opened.status()["failed"] == 1
    assert {row["kind"] for row in opened.problems.to_pylist() if row["where"] == "lake"} == {"DamagedLake"}
    compact(lake, keep=0)
    assert contents(lake) == after
    assert (lake / kept).is_file()
    gone()  # they are found again
    assert repair_lake(lake, jobs=0).read == len(done.lost)
    assert contents(lake) == before
    assert not [row for row in open_lake(lake).problems.to_pylist() if row["where"] == "lake"]
    assert repair_lake(lake, jobs=0).read == 0


@pytest.mark.long
@pytest.mark.parametrize("what", ["manifest", "all manifests", "compaction"])
@pytest.mark.parametrize("there", [True, False])
def test_a_lost_manifest(lake: Path, what: str, there: bool, gone: Callable[[], None]) -> None:
    if there:
        gone()
    before, status = contents(lake), open_lake(lake).status()
    if what == "compaction":
        compact(lake, keep=0)
    for path in manifests(lake)[: None if what == "all manifests" else 1]:
        path.unlink()
    for look in (open_lake, lambda lake: open_lake(lake, check="whole"), compact):
        with pytest.raises(DamagedLake, match="missing"):
            look(lake)
    with pytest.raises(DamagedLake):
        scan(lake.parent, jobs=0).export(lake)
    assert {fault.what for fault in check_lake(lake)} == {"is missing"}
    done = repair_lake(lake, jobs=0)
    assert check_lake(lake) == ()
    assert contents(lake) == before
    assert bool(done.lost) != there
    if there:
        assert open_lake(lake).status()["partial"] == status["partial"]


def test_a_lost_compaction_of_inputs_without_other_rows(lake: Path) -> None:
    before, status = contents(lake), open_lake(lake).status()
    assert status["failed"] == 1
    compact(lake, keep=0)
    for path in (*manifests(lake), *(path for table in ("info", "players") for path in data_files(lake, table))):
        path.unlink()
    repair_lake(lake, jobs=0)
    assert check_lake(lake) == ()
    assert contents(lake) == before
    assert open_lake(lake).status() == status


@pytest.mark.long
@pytest.mark.parametrize("lost", ["_manifests", "players"])
def test_damaged_schemas_of_what_is_lost(lake: Path, lost: str) -> None:
    before = contents(lake)
    compact(lake, keep=0)
    for path in sorted((lake / lost).rglob("*.parquet")):
        path.unlink()
    for path in (lake / "_schemas").iterdir():
        path.write_bytes(path.read_bytes()[:-1])
    repair_lake(lake, jobs=0)
    assert check_lake(lake) == ()
    assert contents(lake) == before


@pytest.mark.long
@pytest.mark.parametrize("is_old", [True, False])
def test_manifests_and_lists_are_lost(lake: Path, is_old: bool) -> None:
    before = contents(lake)
    shutil.rmtree(lake / "_manifests")
    shutil.rmtree(lake / "_lists")
    if is_old:
        for path in lake.rglob("*.parquet"):
            os.utime(path, (0, 0))
        for path in (lake / "_plans").iterdir():  # of which nothing tells that it was finished
            path.write_bytes(path.read_bytes()[:-1])
    else:
        planned = {row for ids in plan.planned_ids(FolderStore(str(lake))).values() for row in ids}
        failed = planned - {row["replay"] for row in _rows(lake)}
        assert len(failed) == 1  # so the plan was not finished, as far as is known
        open_lake(lake)
        for path in (lake / "_plans").iterdir():
            rows = pq.read_table(path)
            kept = pc.invert(pc.is_in(rows["id"], pa.array(sorted(failed))))
            pq.write_table(rows.filter(kept), path)
    for look in (open_lake, lambda lake: open_lake(lake, check="whole"), compact):
        with pytest.raises(DamagedLake, match="its data files are left"):
            look(lake)
    assert any("its data files are left" in fault.what for fault in check_lake(lake))
    repair_lake(lake, jobs=0)
    assert check_lake(lake) == ()
    assert contents(lake) == before


def test_manifests_lists_and_plans_are_lost(lake: Path) -> None:
    """Every export saves its plan before its first file, so files without one are no beginning."""
    before = contents(lake)
    for name in ("_manifests", "_lists", "_plans"):
        shutil.rmtree(lake / name)
    (lake / "_scratch" / "export").mkdir(parents=True)
    (lake / "_scratch" / "export" / "0.arrow").touch()
    assert check_lake(lake) == ()  # a process writes: the manifests may come
    shutil.rmtree(lake / "_scratch")
    with pytest.raises(DamagedLake, match="its data files are left"):
        open_lake(lake)
    assert check_lake(lake)
    repair_lake(lake, jobs=0)
    assert check_lake(lake) == ()
    assert contents(lake) == before


def _rows(lake: Path) -> list[dict[str, Any]]:
    return [row for path in data_files(lake, "info") for row in pq.read_table(path).to_pylist()]


def test_an_export_killed_before_its_first_shard(lake: Path) -> None:
    for path in lake.iterdir():
        if path.name != "_plans":
            shutil.rmtree(path)
    assert check_lake(lake) == ()
    assert len(open_lake(lake, check="whole")) == 0


def test_manifests_that_contradict_each_other(lake: Path) -> None:
    before = contents(lake)
    one, other = open_lake(lake).manifests[:2]
    for each, replaces in ((one, (other.name,)), (other, (one.name,))):
        _write(lake, each, replaces)
    with pytest.raises(DamagedLake, match="replaces"):
        open_lake(lake)
    repair_lake(lake, jobs=0)
    assert check_lake(lake) == ()
    assert contents(lake) == before


def test_a_manifest_that_replaces_what_it_lacks(lake: Path) -> None:
    before = contents(lake)
    one, other = open_lake(lake).manifests[:2]
    _write(lake, one, (other.name,))
    with pytest.raises(DamagedLake, match=r"of which [0-9]+ inputs are lost"):
        open_lake(lake)
    repair_lake(lake, jobs=0)
    assert contents(lake) == before


def _write(lake: Path, manifest: Any, replaces: tuple[str, ...]) -> None:
    replace(manifest, replaces=replaces).write(FolderStore(str(lake)))


def test_plans_are_compared(lake: Path) -> None:
    before = contents(lake)
    compact(lake, keep=0)
    (compacted,) = open_lake(lake).manifests
    rows = compacted.rows.slice(1)
    replace(compacted, rows=rows).write(FolderStore(str(lake)))
    open_lake(lake)
    with pytest.raises(DamagedLake, match=r"lacks 1 of [0-9]+ planned inputs"):
        open_lake(lake, check="whole")
    repair_lake(lake, jobs=0)
    assert check_lake(lake) == ()
    assert contents(lake) == before


def test_a_shard_by_time_without_one_of_its_inputs(inputs: Path, tmp_path: Path) -> None:
    """No plan has such shards. The input is the one that failed, so the numbers of rows fit."""
    lake = tmp_path / "lake"
    scan(inputs, jobs=0).export(lake, tables=TABLES, shard_inputs=100, shard_seconds=0)
    before, status = contents(lake), open_lake(lake).status()
    assert status["failed"] == 1
    assert not {each.name for each in open_lake(lake).manifests} & plan.planned_ids(FolderStore(str(lake))).keys()
    for each in open_lake(lake).manifests:
        good = each.rows.filter(pc.not_equal(each.rows["status"], "failed"))
        if good.num_rows < each.rows.num_rows:
            replace(each, rows=good).write(FolderStore(str(lake)))
    with pytest.raises(ValueError, match="other inputs than its name"):
        open_lake(lake)
    repair_lake(lake, jobs=0)
    assert check_lake(lake) == ()
    assert contents(lake) == before
    scan(inputs, jobs=0).export(lake, tables=TABLES)  # only this reads again what failed
    assert open_lake(lake).status() == status


def test_a_deleted_schema(lake: Path, gone: Callable[[], None]) -> None:
    before = contents(lake)
    for path in (lake / "_schemas").iterdir():
        path.unlink()
    with pytest.raises(DamagedLake, match=r"arrow: is missing"):
        open_lake(lake)
    with pytest.raises(DamagedLake, match=r"arrow: is missing"):
        open_lake(lake, check="none").table("players")
    done = repair_lake(lake, jobs=0)  # the data files have it
    assert {name: rows for name, rows in contents(lake).items() if rows} == {n: r for n, r in before.items() if r}
    assert done.read == 0


@pytest.mark.long
@pytest.mark.skipif(os.name != "posix", reason="links of Unix")
@pytest.mark.parametrize("place", ["players", "_manifests", "_lists", "_plans", "_schemas"])
@pytest.mark.parametrize("whole", [True, False])
def test_links_out_of_the_lake(lake: Path, place: str, whole: bool) -> None:
    path = lake / place if whole else next(each for each in sorted((lake / place).rglob("*")) if each.is_file())
    away = lake.parent / "away"
    path.rename(away)
    path.symlink_to(away, target_is_directory=whole)
    assert check_lake(lake)
    if place not in ("_plans", "_lists"):
        with pytest.raises((DamagedLake, ValueError)):
            open_lake(lake)
    if not whole:
        repair_lake(lake, jobs=0)
        assert check_lake(lake) == ()
        assert away.exists()


class Killed(BaseException):
    """Ends a repair like a kill: nothing is written after it."""


def test_killed_at_every_step(lake: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: int) -> None:
    before, status = contents(lake), open_lake(lake).status()
    flip(data_files(lake, "players")[0])
    manifests(lake)[1].unlink()
    (lake / "_schemas").joinpath(sorted(os.listdir(lake / "_schemas"))[0]).unlink()
    steps = {"left": -1, "done": 0}

    def limited(method: Callable[..., None]) -> Callable[..., None]:
        def call(*arguments: Any) -> None:
            if steps["left"] == 0:
                raise Killed
            steps["left"] -= 1
            steps["done"] += 1
            method(*arguments)

        return call

    with monkeypatch.context() as patched:
        for name in ("put", "move_in", "remove"):
            patched.setattr(FolderStore, name, limited(getattr(FolderStore, name)))
        whole = shutil.copytree(lake, tmp_path / "whole")
        repair_lake(whole, jobs=0)
        total = steps["done"]
        assert total > 10
        for place in range(0, total, step * 2 if step > 1 else 1):
            cut = shutil.copytree(lake, tmp_path / f"cut{place}")
            steps["left"] = place
            with pytest.raises(Killed):
                repair_lake(cut, jobs=0)
            steps["left"] = -1
            repair_lake(cut, jobs=0)
            assert check_lake(cut) == ()
            assert contents(cut) == before, place
            assert open_lake(cut).status() == status


@pytest.mark.long
@pytest.mark.skipif(os.name != "posix", reason="a process that is killed without warning is Unix's")
def test_a_repair_that_is_killed(lake: Path) -> None:
    before = contents(lake)
    flip(data_files(lake, "players")[0])
    program = (
        "import os, signal, sys\n"
        "from playhead.corpus import manifest, repair_lake\n"
        "written = manifest.Manifest.write\n"
        "def write(self, store):\n"
        "    if self.name.startswith('repair-'): os.kill(os.getpid(), signal.SIGKILL)\n"
        "    written(self, store)\n"
        "manifest.Manifest.write = write\n"
        "repair_lake(sys.argv[1], jobs=0)\n"
    )
    ended = subprocess.run([sys.executable, "-c", program, str(lake)], check=False)
    assert ended.returncode == -signal.SIGKILL
    assert command("lake", "check", "--repair", lake).stdout.splitlines()[-1] == "0 inputs read again"
    assert contents(lake) == before


def test_lists_of_several_writers(inputs: Path, tmp_path: Path) -> None:
    lake = tmp_path / "lake"
    games = sorted(inputs.glob("other.*"))
    for path in games:
        run_shard(path, lake, tables=["info"], jobs=0)
    assert len(list((lake / "_lists").iterdir())) == len(games)
    scan(inputs, jobs=0).export(lake, tables=["info"])
    (one,) = (lake / "_lists").iterdir()
    compact(lake, keep=0)
    (other,) = (lake / "_lists").iterdir()
    assert one != other
    flip(other)
    with pytest.raises(ValueError, match="damaged list of manifests"):
        open_lake(lake)
    repair_lake(lake, jobs=0)
    assert check_lake(lake) == ()
    (lake / path_of(open_lake(lake).manifests[0].name)).unlink()
    assert check_lake(lake)


def test_no_column_is_elsewhere(inputs: Path, lake: Path) -> None:
    corpus, opened = scan(inputs, jobs=0), open_lake(lake)
    for name in ("players", "chat"):
        expected = corpus.table(name).column_names
        assert opened.table(name).column_names == expected
        assert opened.query(f"FROM {name}").column_names == corpus.query(f"FROM {name}").column_names == expected
        assert opened.batches(name).schema.names == corpus.batches(name).schema.names == expected
    assert isinstance(opened.schema("players"), pa.Schema)
