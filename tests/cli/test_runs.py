"""``playhead ddnet runs`` as a shell sees it."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from tests.cli.in_process import run as playhead_command

import playhead
from playhead.teehistorian import write_sample
from playhead.teehistorian.stream.messages import Finish
from playhead.teehistorian.writing.writer import TeehistorianWriter

run = partial(playhead_command, "ddnet", "runs")


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_sample(tmp_path_factory.mktemp("games"))


def test_a_file_and_a_folder_list_the_same_runs(sample: Path) -> None:
    one, all_of_them = run(sample), run(sample.parent)
    assert (one.returncode, one.stderr) == (0, "")
    assert one.stdout == all_of_them.stdout
    head, *lines = one.stdout.splitlines()
    assert head.split()[:4] == ["file", "run", "start", "finish"]
    facts = [json.loads(line) for line in run(sample, "--json").stdout.splitlines()]
    assert len(facts) == len(lines) > 0
    assert "2.20 s" in one.stdout
    nobody = run(sample, "--player", 99)
    assert (nobody.returncode, nobody.stdout) == (2, "")
    assert "'99' is not a player of this game" in nobody.stderr


def test_a_server_that_records_no_finishes_is_not_one_where_nobody_finished(tmp_path: Path) -> None:
    path = tmp_path / "old.teehistorian"
    writer = TeehistorianWriter({"version": "2", "version_minor": "4"})
    writer.record(Finish())
    path.write_bytes(writer.to_bytes())
    found = run(path)
    assert found.stdout == ""
    assert "older than DDNet 18.3" in found.stderr


def test_one_run_is_shown(sample: Path) -> None:
    facts = [json.loads(line) for line in run(sample, "--json").stdout.splitlines()]
    assert [json.loads(run(sample, "--json", "--run", one["run"]).stdout) for one in facts] == facts
    head, line = run(sample, "--run", 1).stdout.splitlines()
    assert line.split()[head.split().index("run")] == "1"
    none = run(sample, "--run", 99)
    assert (none.returncode, none.stdout, "no such run 99" in none.stderr) == (0, "", True)


def test_one_run_as_files(sample: Path, tmp_path: Path) -> None:
    facts = json.loads(run(sample, "--json").stdout.splitlines()[0])
    dense, trace, cut = tmp_path / "a.parquet", tmp_path / "t.csv", tmp_path / "s.teehistorian"
    outcome = run(sample, "--run", 0, "--arrays", dense, "--trace", trace, "--slice", cut)
    assert (outcome.returncode, outcome.stderr) == (0, "")
    assert pq.read_table(dense)["tick"].to_pylist() == list(range(facts["first_tick"], facts["tick"] + 1))
    assert trace.read_text().startswith('"player","name","tick"')
    assert playhead.open(cut).runs()[-1]["tick"] == facts["tick"]


def test_wrong_usage(sample: Path, tmp_path: Path) -> None:
    assert run(sample, "--arrays", tmp_path / "x").returncode == 2
    assert run(sample, "--run", 99, "--arrays", tmp_path / "x").returncode == 2
    assert run(sample.parent, "--run", 0, "--arrays", tmp_path / "x").returncode == 2
    assert run(tmp_path / "none").returncode == 1
