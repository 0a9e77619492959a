"""Engines write a lake with `run_shard`: of each the example, with bad files among good ones."""

from __future__ import annotations

import importlib.util
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

import playhead

pytestmark = [
    pytest.mark.slow_interpreted,
    # Engines leave sockets and processes to the end of the program.
    pytest.mark.filterwarnings("default"),
]


def example(name: str) -> ModuleType:
    path = Path(__file__).parents[2] / "examples" / "engines" / f"lake_{name}.py"
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def names(tmp_path: Path, write_games: Callable[..., list[Path]], samples: dict[str, bytes]) -> list[str]:
    paths = write_games(tmp_path / "in", 5)
    for bad in ("garbage.SC2Replay", "cut.SC2Replay"):
        (tmp_path / "in" / bad).write_bytes(b"garbage" if bad[0] == "g" else samples["sc2"][:40])
        paths.append(tmp_path / "in" / bad)
    return [*map(str, paths)]


def contents(location: Path) -> dict[str, list[dict[str, Any]]]:
    lake = playhead.open_lake(location)
    return {name: lake.table(name).to_pylist() for name in lake.tables}


@pytest.fixture
def expected(names: list[str], tmp_path: Path) -> Iterator[Callable[[Path], None]]:
    """Compares a lake with one that this process exports."""

    def check(lake: Path) -> None:
        assert playhead.open_lake(lake).status()["failed"] == 2
        playhead.scan(names, jobs=0).export(tmp_path / "own")
        assert contents(lake) == contents(tmp_path / "own")

    return check


@pytest.mark.parametrize(
    ("name", "package"),
    [
        ("dask", "dask"),
        pytest.param("spark", "pyspark", marks=pytest.mark.long),
        pytest.param("daft", "daft", marks=pytest.mark.long),
    ],
)
def test_an_engine(name: str, package: str, names: list[str], tmp_path: Path, expected: Any) -> None:
    pytest.importorskip(package, reason=f"{package} is the engine")
    module = example(name)
    assert module.main(str(tmp_path / "lake"), names, 3) == 7
    assert module.main(str(tmp_path / "lake"), names, 3) == 2, "only what failed is read again"
    expected(tmp_path / "lake")


def test_a_node_of_ray_is_killed(names: list[str], tmp_path: Path, expected: Any) -> None:
    ray = pytest.importorskip("ray", reason="Ray is the engine")
    cluster_utils = pytest.importorskip("ray.cluster_utils")
    own = {"object_store_memory": 80 << 20, "num_cpus": 1}
    unused = {"include_dashboard": False, "no_monitor": True, "include_log_monitor": False}
    cluster = cluster_utils.Cluster(initialize_head=True, head_node_args={**own, **unused})
    node = cluster.add_node(**own)
    killed = threading.Event()
    try:
        ray.init(address=cluster.address, log_to_driver=False)

        def kill() -> None:
            while not list((tmp_path / "lake" / "info").glob("*.parquet")):
                time.sleep(0.02)
            cluster.remove_node(node, allow_graceful=False)
            killed.set()

        killer = threading.Thread(target=kill, daemon=True)
        killer.start()
        example("ray").main(str(tmp_path / "lake"), names, 2)
        killer.join(60)
    finally:
        ray.shutdown()
        cluster.shutdown()
    assert killed.is_set()
    expected(tmp_path / "lake")


def test_ray_takes_folders_and_tables(names: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A stand-in for Ray runs each task at once."""
    ray = ModuleType("ray")
    remote = lambda **_: lambda function: SimpleNamespace(remote=function)  # noqa: E731
    vars(ray).update(init=lambda **_: None, remote=remote, get=list)
    monkeypatch.setitem(sys.modules, "ray", ray)
    (tmp_path / "in" / "notes.txt").write_text("no replay")
    lake = tmp_path / "lake"
    assert example("ray").main(str(lake), [str(tmp_path / "in")], 2, ["players"]) == len(names)
    assert playhead.open_lake(lake).tables == ("info", "players")
