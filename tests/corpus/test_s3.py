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

moto_server = pytest.importorskip("moto.server", reason="moto is the S3 server")
s3fs = pytest.importorskip("s3fs", reason="s3fs reads buckets")

_BUCKET = "playhead-lake"


@pytest.fixture(scope="module")
def bucket() -> Iterator[str]:
    """URL of an empty bucket; the environment tells every process of the server."""
    server = moto_server.ThreadedMotoServer(ip_address="127.0.0.1", port=0)
    server.start()
    host, port = server.get_host_and_port()
    held = dict(os.environ)
    os.environ.update(
        FSSPEC_S3_ENDPOINT_URL=f"http://{host}:{port}",
        AWS_ACCESS_KEY_ID="test",
        AWS_SECRET_ACCESS_KEY="test",
        AWS_DEFAULT_REGION="us-east-1",
    )
    import fsspec

    fsspec.config.set_conf_env(fsspec.config.conf)
    system = s3fs.S3FileSystem(endpoint_url=f"http://{host}:{port}", skip_instance_cache=True)
    system.mkdir(_BUCKET)
    yield f"s3://{_BUCKET}"
    fsspec.config.conf.pop("s3", None)
    s3fs.S3FileSystem.clear_instance_cache()
    os.environ.clear()
    os.environ.update(held)
    server.stop()


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
        system.put_file(str(path), f"{_BUCKET}/in/{path.name}")
    system.pipe_file(f"{_BUCKET}/in/broken.SC2Replay", samples["sc2"][:40])
    few = ["info", "players", "commands"]
    corpus = playhead.scan(f"{bucket}/in/", jobs=1)
    assert corpus.export(f"{bucket}/lake", tables=few, shard_inputs=2).progress.done == 6
    again = playhead.scan(f"{bucket}/in/", jobs=0).export(f"{bucket}/lake", tables=few, shard_inputs=2)
    assert (again.progress.done, again.progress.held) == (1, 5)
    lost = playhead.open_lake(f"{bucket}/lake").data_files("players")[0]
    system.rm_file(f"{_BUCKET}/lake/{lost.path}")
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
