"""Polars, pandas, DuckDB and PySpark read a lake without playhead, by the code of docs/corpus.md."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import playhead

sys.path.insert(0, str(Path(__file__).parents[1] / "docs"))
from markdown_blocks import python_blocks

pytestmark = [pytest.mark.slow_interpreted, pytest.mark.filterwarnings("default")]

pytest.importorskip("deltalake", reason="a lake is Delta tables")

PAGE = Path(__file__).parents[2] / "docs" / "corpus.md"
BLOCKS = [block.code for block in python_blocks(PAGE, ("py",)) if "reading" in block.code]


@pytest.fixture
def rows(tmp_path: Path, write_games: Callable[..., list[Path]], monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The rows of players of a lake, the working folder, that has rows of replaced readings too."""
    corpus = playhead.scan(write_games(tmp_path / "in", 3), jobs=0)
    corpus.export(tmp_path / "lake", tables=["players"])
    corpus.export(tmp_path / "lake", tables=["chat"])
    monkeypatch.chdir(tmp_path)
    table = playhead.open_lake("lake").table("players")
    import deltalake

    assert deltalake.DeltaTable("lake/players").to_pyarrow_table().num_rows == 2 * table.num_rows > 0
    return keys(table.to_pylist())


def keys(found: list[dict[str, Any]]) -> list[str]:
    return (
        sorted(f"{row['replay']} {row['player']} {row['name']} {row.get('game')}" for row in found)
        if found
        else []
    )


@pytest.mark.parametrize("which", [0, 1, 2])
def test_programs_on_one_machine(which: int, rows: list[str]) -> None:
    pytest.importorskip(("polars", "pandas", "duckdb")[which])
    head, *parts = BLOCKS[0].split("\n# ")
    names: dict[str, Any] = {}
    exec(f"{head}\n# {parts[which]}", names)
    found = names["players"]
    told = found.to_dicts() if which == 0 else found.to_dict("records")
    assert [each.rpartition(" ")[0] for each in keys(told)] == [each.rpartition(" ")[0] for each in rows]


def test_conditions_on_any_column(rows: list[str]) -> None:
    duckdb, polars, deltalake = map(pytest.importorskip, ("duckdb", "polars", "deltalake"))
    import pyarrow.compute as pc

    told = playhead.open_lake("lake").table("players")
    count = 2 * told.filter(pc.equal(told["player"], 1)).num_rows  # of both readings
    assert count > 0
    table = deltalake.DeltaTable("lake/players")
    players = table.to_pyarrow_dataset()
    assert players.count_rows(filter=pc.field("player") == 1) == count
    assert duckdb.sql("SELECT count(*) FROM players WHERE player = 1").fetchall() == [(count,)]
    assert polars.scan_delta("lake/players").filter(player=1).collect().height == count
    assert table.to_pandas(filters=[("player", "=", 1)]).shape[0] == count


@pytest.mark.long
def test_spark(rows: list[str]) -> None:
    pytest.importorskip("pyspark", reason="PySpark reads the lake")
    pytest.importorskip("delta", reason="PySpark reads Delta tables by delta-spark")
    import delta
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false")
    builder = builder.config("spark.sql.extensions", "io.delta.sql.DeltaSparkSessionExtension")
    catalog = "org.apache.spark.sql.delta.catalog.DeltaCatalog"
    builder = builder.config("spark.sql.catalog.spark_catalog", catalog)
    spark = delta.configure_spark_with_delta_pip(builder).getOrCreate()
    names: dict[str, Any] = {"spark": spark}
    try:
        exec(BLOCKS[1].replace('"lake/', f'"{os.getcwd()}/lake/'), names)
        assert names["players"].count() == len(rows)
    finally:
        spark.stop()
