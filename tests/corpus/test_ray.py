"""The engine for clusters, on a real one of several nodes on the loopback, of which one is killed."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import playhead

pytestmark = [
    pytest.mark.slow_interpreted,
    # Ray leaves sockets and processes to the end of the program.
    pytest.mark.filterwarnings("default"),
]

ray = pytest.importorskip("ray", reason="Ray is the engine")
cluster_utils = pytest.importorskip("ray.cluster_utils")

FEW = ["info", "players", "commands", "units"]


def contents(location: Path) -> dict[str, list[dict[str, Any]]]:
    lake = playhead.open_lake(location)
    return {name: lake.table(name).to_pylist() for name in lake.tables}


@pytest.mark.long
def test_a_node_is_killed(
    tmp_path: Path, write_games: Callable[..., list[Path]], samples: dict[str, bytes]
) -> None:
    write_games(tmp_path / "in", 9)
    (tmp_path / "in" / "broken.SC2Replay").write_bytes(samples["sc2"][:40])
    corpus = playhead.scan(tmp_path / "in", jobs=1)
    own = {"object_store_memory": 80 << 20, "num_cpus": 1}
    unused = {"include_dashboard": False, "no_monitor": True, "include_log_monitor": False}
    cluster = cluster_utils.Cluster(initialize_head=True, head_node_args={**own, **unused})
    node = cluster.add_node(**own)
    killed = threading.Event()
    try:
        ray.init(address=cluster.address, log_to_driver=False)

        def kill() -> None:
            while not list((tmp_path / "lake").glob("_manifests/*")):
                time.sleep(0.02)
            cluster.remove_node(node, allow_graceful=False)
            killed.set()

        killer = threading.Thread(target=kill, daemon=True)
        killer.start()
        report = corpus.export(tmp_path / "lake", tables=FEW, engine="ray", shard_inputs=2)
        killer.join(60)
    finally:
        ray.shutdown()
        cluster.shutdown()
    assert killed.is_set()
    assert (report.progress.done, report.progress.failed) == (10, 1)
    playhead.scan(tmp_path / "in", jobs=0).export(tmp_path / "local", tables=FEW, shard_inputs=2)
    assert contents(tmp_path / "lake") == contents(tmp_path / "local")


def test_options_of_ray(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="has no option 'queue'"):
        playhead.scan(tmp_path).export(tmp_path / "lake", engine="ray", queue="fast")
