"""Corpora and lakes for other libraries: lazy frames, batches, files for Hugging Face, data sets of PyTorch."""

from __future__ import annotations

import importlib.util
import os
import pickle
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pyarrow as pa
import pytest
from tests.docs.markdown_blocks import python_blocks

import playhead
from playhead.corpus.reading import collection
from playhead.corpus.series import arrays


@pytest.fixture(scope="module")
def folder(
    tmp_path_factory: pytest.TempPathFactory, samples: dict[str, bytes], write_games: Callable[..., list[Path]]
) -> Path:
    made = tmp_path_factory.mktemp("corpus")
    write_games(made, 4)
    (made / "match.dem").write_bytes(samples["source2"])
    (made / "race.teehistorian").write_bytes(samples["teehistorian"])
    (made / "cut.SC2Replay").write_bytes(samples["sc2"][:900])
    return made


@pytest.fixture(scope="module")
def lake(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> playhead.corpus.Lake:
    place = tmp_path_factory.mktemp("lake") / "lake"
    names = ["info", "players", "positions", "kills", "player_series", "inputs"]
    playhead.scan(folder, jobs=0).export(place, tables=names)
    return playhead.open_lake(place)


def reads(monkeypatch: pytest.MonkeyPatch) -> list[tuple[int, Any]]:
    """Record the number of replays of each read, and the columns."""
    found: list[tuple[int, Any]] = []
    inner = collection.read_items

    def noted(items: Any, request: Any, *rest: Any) -> Any:
        if not request.only_schema:
            found.append((len(items), request.columns))
        return inner(items, request, *rest)

    monkeypatch.setattr(collection, "read_items", noted)
    return found


@pytest.mark.parametrize("name", ["players", "positions", "kills"])
def test_a_lazy_frame_over_all(name: str, folder: Path) -> None:
    polars = pytest.importorskip("polars")
    corpus = playhead.scan(folder, jobs=0)
    lazy, whole = corpus.lazy(name), corpus.to_polars(name)
    text = polars.selectors.categorical().cast(polars.String)
    columns = lazy.collect_schema().names()
    assert sorted(columns) == sorted(whole.columns)
    assert lazy.collect_schema() == whole.select(columns).with_columns(text).schema
    assert lazy.collect().equals(whole.select(columns).with_columns(text))


def test_columns_and_filters_are_pushed_down(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    polars = pytest.importorskip("polars")
    corpus = playhead.scan(folder, jobs=0)
    lazy = corpus.lazy("players")
    done = reads(monkeypatch)
    names = lazy.filter(polars.col("file").str.ends_with("match.dem")).select("name").collect()["name"].to_list()
    assert names[0] == "Aster"
    assert done == [(1, frozenset({"name", "file"}))]
    done.clear()
    found = lazy.filter(polars.col("side") == "radiant").select("file", "name").collect()
    assert found.height == 5
    assert done == [(7, frozenset({"file", "name", "side"}))]
    assert lazy.head(3).collect().height == 3
    assert lazy.select(polars.len()).collect().item() == corpus.table("players").num_rows


def test_a_lazy_table_that_no_replay_has(folder: Path) -> None:
    pytest.importorskip("polars")
    corpus = playhead.scan(folder, jobs=0)
    with pytest.raises(KeyError, match="no table 'kils'; did you mean kills"):
        corpus.lazy("kils")
    with pytest.raises(KeyError, match="no replay of 7 has a table 'rounds'"):
        corpus.lazy("rounds")


def test_batches_of_a_lake(lake: playhead.corpus.Lake) -> None:
    polars = pytest.importorskip("polars")
    reader = lake.batches("players")
    assert isinstance(reader, pa.RecordBatchReader)
    whole = lake.table("players")
    assert sorted(reader.read_all()["name"].to_pylist(), key=str) == sorted(whole["name"].to_pylist(), key=str)
    assert polars.DataFrame(lake.batches("kills")).height == lake.table("kills").num_rows  # __arrow_c_stream__
    assert pa.table(playhead.open(lake_file(lake)).table("players")).num_rows


@pytest.mark.long
def test_a_lake_is_filtered_as_its_corpus(lake: playhead.corpus.Lake, folder: Path) -> None:
    corpus = playhead.scan(folder, jobs=0)
    for facts in ({"format": "sc2"}, {"game": "dota2", "build": ">1"}, {"matchup": "?v?"}):
        part, expected = lake.filter(**facts), corpus.filter(**facts)
        assert (part.replays, part.files, len(part)) == (expected.replays, expected.files, len(expected))
        known = part.info().drop_columns(["problems"])
        assert known.equals(expected.info().drop_columns(["problems"]))
        for name in part.tables:
            rows = part.table(name)
            assert rows.column_names[:2] == ["replay", "file"]
            assert set(rows["replay"].to_pylist()) <= {*part.replays}
            if name in expected.tables:
                assert rows.num_rows == expected.table(name).num_rows == part.lazy(name).collect().height
                count = f'SELECT count(*) AS n FROM "{name}"'
                assert part.query(count) == expected.query(count) == pa.table({"n": [rows.num_rows]})
    assert set(lake.filter(format="sc2").series().read_all()["replay"].to_pylist()) < {
        *lake.filter(format="sc2").replays
    }
    with pytest.raises(ValueError, match=r"no game 'Dota'; did you mean dota"):
        lake.filter(game="Dota")
    with pytest.raises(KeyError, match=r"no column 'gme'; did you mean game\?"):
        lake.filter(gme="dota2")
    assert lake.lazy("players").collect().height == lake.table("players").num_rows


def lake_file(lake: playhead.corpus.Lake) -> str:
    return next(file for file in lake.table("info")["file"].to_pylist() if file.endswith("match.dem"))


@pytest.mark.parametrize(("number", "library"), [(0, "torch"), (1, "datasets")])
def test_the_page_runs_with_the_library(number: int, library: str, folder: Path, tmp_path: Path) -> None:
    if importlib.util.find_spec(library) is None:
        pytest.skip(f"{library} is not installed")
    page = Path(__file__).parents[2] / "docs" / "machine-learning.md"
    code = list(python_blocks(page, ("py",)))[number].code
    (tmp_path / "code.py").write_text(code.replace('scan(".")', f'scan("{folder.as_posix()}")'), encoding="utf-8")
    env = {**os.environ, "HF_HUB_OFFLINE": "1", "HF_HOME": str(tmp_path / "cache")}
    command = [sys.executable, "code.py"]
    done = subprocess.run(command, cwd=tmp_path, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    if library == "torch":
        losses = [float(found) for found in re.findall(r"epoch \d: ([\d.]+)", done.stdout)]
        assert len(losses) == 5
        assert losses[-1] < losses[0]  # it has learned something
        assert (tmp_path / "steps.pt").stat().st_size > 10_000
    else:
        assert "'name': " in done.stdout


# -- PyTorch: a stand-in for the parts that the data set uses -------------------------------------------------


@pytest.fixture
def torch(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    """A stand-in for PyTorch: NumPy's arrays as tensors, and the worker that a test names."""

    class Tensor(SimpleNamespace):
        def float(self) -> Tensor:
            return Tensor(array=self.array.astype("float32"))

        def nan_to_num(self, value: float) -> Tensor:
            import numpy as np

            return Tensor(array=np.nan_to_num(self.array, nan=value))

    torch, data = ModuleType("torch"), ModuleType("torch.utils.data")
    data.IterableDataset = type("IterableDataset", (), {})  # type: ignore[attr-defined]
    data.get_worker_info = lambda: None  # type: ignore[attr-defined]
    torch.from_numpy = lambda array: Tensor(array=array)  # type: ignore[attr-defined]
    torch.distributed = SimpleNamespace(is_available=lambda: False, is_initialized=lambda: False)  # type: ignore[attr-defined]
    for name, module in (("torch", torch), ("torch.utils", ModuleType("torch.utils")), ("torch.utils.data", data)):
        monkeypatch.setitem(sys.modules, name, module)
    torch.data = data  # type: ignore[attr-defined]
    arrays._dataset_class.cache_clear()
    yield torch
    arrays._dataset_class.cache_clear()


@pytest.mark.filterwarnings("ignore:.*add no rows")
@pytest.mark.parametrize("source", ["corpus", "lake"])
@pytest.mark.parametrize("processes", [1, 2])
def test_workers_share_the_replays(
    source: str, processes: int, torch: Any, folder: Path, lake: playhead.corpus.Lake
) -> None:
    held: Any = playhead.scan(folder, jobs=0) if source == "corpus" else lake
    fields = ["x", "y", "minerals"]
    data = pickle.loads(pickle.dumps(held.torch(every="1s", fields=fields)))
    assert isinstance(data, torch.data.IterableDataset)
    expected = {each.replay: each for each in held.series(every="1s", fields=fields).numpy()}
    seen = []
    for rank in range(processes):
        torch.distributed = SimpleNamespace(
            is_available=lambda: True,
            is_initialized=lambda: processes > 1,
            get_rank=lambda rank=rank: rank,
            get_world_size=lambda: processes,
        )
        for worker in range(3):
            torch.data.get_worker_info = lambda worker=worker: SimpleNamespace(id=worker, num_workers=3)
            seen += list(data)
    assert sorted(each["replay"] for each in seen) == sorted(expected)
    for each in seen:
        array = expected[each["replay"]]
        assert (each["file"], each["fields"]) == (array.file, tuple(fields))
        assert (each["mask"].array == array.mask).all()
        assert (each["values"].array[array.mask] == array.values[array.mask].astype("float32")).all()
        assert not each["values"].array[~array.mask].any()


def test_a_part_of_a_lake_for_pytorch(torch: Any, lake: playhead.corpus.Lake) -> None:
    data = (part := lake.split(train=0.5)).train.torch(every="1s", fields=["x", "minerals"])
    assert {each["replay"] for each in data} <= set(part.train.replays)
    assert not list(lake.filter(replay=[]).torch(every="1s", fields="x"))


def test_without_pytorch(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    arrays._dataset_class.cache_clear()
    with pytest.raises(ModuleNotFoundError, match=r"a data set of PyTorch needs torch: .*pip install torch$"):
        playhead.scan(folder, jobs=0).torch(fields="x")
