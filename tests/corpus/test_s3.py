"""A lake in a bucket: a real S3 server on the loopback."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pyarrow as pa
import pytest
from tests.cli.in_process import run as run_playhead

import playhead
from playhead.corpus import check_lake, compact, is_lake, repair_lake

pytestmark = pytest.mark.slow_interpreted

pytest.importorskip("moto.server", reason="moto is the S3 server")
s3fs = pytest.importorskip("s3fs", reason="s3fs reads buckets")

from tests.corpus.buckets import BUCKET, served  # noqa: E402


@pytest.fixture
def bucket() -> Iterator[str]:
    """URL of an empty bucket."""
    with served():
        yield f"s3://{BUCKET}"


def plain(table: pa.Table) -> list[dict[str, object]]:
    return table.drop(["file"]).to_pylist()


@pytest.mark.long
@pytest.mark.filterwarnings("default")
def test_from_a_bucket_into_a_bucket(
    bucket: str, tmp_path: Path, write_games: Callable[..., list[Path]], samples: dict[str, bytes]
) -> None:
    games = write_games(tmp_path / "in", 5)
    system = s3fs.S3FileSystem(endpoint_url=os.environ["FSSPEC_S3_ENDPOINT_URL"])
    for path in games:
        system.put_file(str(path), f"{BUCKET}/in/{path.name}")
    system.pipe_file(f"{BUCKET}/in/broken.SC2Replay", samples["sc2"][:40])
    few = ["info", "players", "commands"]
    corpus = playhead.scan(f"{bucket}/in/", jobs=1)
    assert corpus.export(f"{bucket}/lake", tables=few, shard_inputs=2).progress.done == 6
    again = playhead.scan(f"{bucket}/in/", jobs=0).export(f"{bucket}/lake", tables=few, shard_inputs=2)
    assert (again.progress.done, again.progress.held) == (1, 5)
    lost = playhead.open_lake(f"{bucket}/lake").data_files("players")[0]
    system.rm_file(f"{BUCKET}/lake/{lost.path}")
    with pytest.raises(playhead.corpus.DamagedLake, match="players"):
        playhead.open_lake(f"{bucket}/lake").table("players")
    assert repair_lake(f"{bucket}/lake")[1] == lost.rows // 2  # of two players
    assert run_playhead("lake", "retry", f"{bucket}/lake", "--jobs", "1").returncode == 1  # one is broken
    assert check_lake(f"{bucket}/lake") == ()
    playhead.scan(tmp_path / "in", jobs=0).export(tmp_path / "lake", tables=few)
    local = playhead.open_lake(tmp_path / "lake")
    for _ in range(2):
        lake = playhead.open_lake(f"{bucket}/lake")
        assert lake.status()["whole"] == 5
        assert lake.status()["failed"] == 1
        for name in local.tables:
            if name != "info":  # which has the name of the file
                assert plain(lake.table(name)) == plain(local.table(name))
        count = lake.query("SELECT count(*) AS n FROM players")["n"].to_pylist()
        assert count == [local.table("players").num_rows]
        assert is_lake(f"{bucket}/lake")
        assert is_lake(f"{bucket}/lake/")
        assert not is_lake(f"{bucket}/in/")
        compact(f"{bucket}/lake", keep_hours=0)
    asked = run_playhead("sql", "SELECT count(*) FROM players", f"{bucket}/lake", "--format", "csv")
    assert (asked.returncode, asked.stdout.split()[-1]) == (0, str(count[0]))


@pytest.mark.long
@pytest.mark.filterwarnings("default")
def test_a_server_fails_one_request_in_ten(tmp_path: Path, write_games: Callable[..., list[Path]]) -> None:
    write_games(tmp_path / "in", 4)
    few = ["info", "players", "units"]
    playhead.scan(tmp_path / "in", jobs=0).export(tmp_path / "lake", tables=few)
    local = playhead.open_lake(tmp_path / "lake")
    with served(0.1) as server:
        lake = f"s3://{BUCKET}/shaky"
        for _ in range(2):
            playhead.scan(tmp_path / "in", jobs=1).export(lake, tables=few, shard_inputs=1)
        compact(lake, keep_hours=0)
        assert check_lake(lake) == ()
        found = playhead.open_lake(lake)
        assert {name: found.table(name) for name in found.tables} == {
            name: local.table(name) for name in local.tables
        }
        assert server.failed > server.asked / 20 > 1
