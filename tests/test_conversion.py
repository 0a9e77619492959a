"""Tables in Polars, pandas and DuckDB."""

from __future__ import annotations

import sys
from contextlib import closing
from pathlib import Path

import pytest

import playhead
from playhead import Replay
from playhead.registry import list_formats

pytestmark = pytest.mark.slow_interpreted


@pytest.fixture(scope="module")
def samples(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    folder = tmp_path_factory.mktemp("conversion")
    return [known.write_sample(folder) for known in list_formats()]


@pytest.fixture
def replays(samples: list[Path]) -> list[Replay]:
    return [playhead.open(path) for path in samples]


@pytest.fixture
def passes(monkeypatch: pytest.MonkeyPatch, replays: list[Replay]) -> list[frozenset[str]]:
    """What each pass over a file was for."""
    seen: list[frozenset[str]] = []
    for kind in {type(replay) for replay in replays}:
        original = kind._build_tables

        def build(self: Replay, names: frozenset[str], original: object = original) -> object:
            seen.append(names)
            return original(self, names)  # type: ignore[operator]

        monkeypatch.setattr(kind, "_build_tables", build)
    return seen


def test_polars_frames_have_the_rows_of_the_tables(replays: list[Replay]) -> None:
    pytest.importorskip("polars", reason="the conversion to it is tested")
    for replay in replays:
        for name, table in replay.read_tables().items():
            frame = replay.to_polars(name)
            assert frame.columns == table.column_names
            assert frame.height == table.num_rows


def test_polars_takes_what_table_takes(replays: list[Replay]) -> None:
    pytest.importorskip("polars", reason="the conversion to it is tested")
    for replay in replays:
        assert replay.to_polars("players", columns=["name"]).columns == ["name"]


def test_pandas_frames_have_the_values_of_the_tables(replays: list[Replay]) -> None:
    pytest.importorskip("pandas", reason="the conversion to it is tested")
    for replay in replays:
        for name, table in replay.read_tables().items():
            frame = replay.to_pandas(name)
            assert list(frame.columns) == table.column_names
            assert len(frame) == table.num_rows


def test_whole_numbers_stay_whole_in_pandas_where_some_are_missing(replays: list[Replay]) -> None:
    pytest.importorskip("pandas", reason="the conversion to it is tested")
    for replay in replays:
        players = replay.to_pandas("players")
        assert str(players["team"].dtype) == "Int32"
        assert players["player"].tolist() == [player.player for player in replay.players]


def test_duckdb_has_every_table(replays: list[Replay]) -> None:
    pytest.importorskip("duckdb", reason="the conversion to it is tested")
    for replay in replays:
        with closing(replay.to_duckdb()) as connection:
            for name, table in replay.read_tables().items():
                assert connection.execute(f'SELECT count(*) FROM "{name}"').fetchone() == (table.num_rows,)
                described = connection.execute(f'DESCRIBE "{name}"').fetchall()
                assert [column for column, *_ in described] == table.column_names


def test_duckdb_decodes_what_is_queried(replays: list[Replay], passes: list[frozenset[str]]) -> None:
    pytest.importorskip("duckdb", reason="the conversion to it is tested")
    for replay in replays:
        with closing(replay.to_duckdb()) as connection:
            assert passes == []
            connection.execute("SELECT max(tick) FROM positions").fetchall()
            connection.execute("SELECT min(tick) FROM positions").fetchall()
            assert passes == [frozenset({"positions"})]
            passes.clear()


def test_duckdb_takes_some_tables_and_a_connection(replays: list[Replay]) -> None:
    duckdb = pytest.importorskip("duckdb", reason="the conversion to it is tested")
    with closing(duckdb.connect()) as connection:
        for replay in replays:
            assert replay.to_duckdb(["players"], connection) is connection
            names = [player.name for player in replay.players]
            assert [name for (name,) in connection.execute("SELECT name FROM players").fetchall()] == names
        with pytest.raises(duckdb.CatalogException):
            connection.execute("SELECT * FROM info")
        with pytest.raises(KeyError, match="no table 'nonsense'"):
            replays[0].to_duckdb(["nonsense"], connection)


@pytest.mark.parametrize("library", ["polars", "pandas", "duckdb"])
def test_what_is_not_installed_is_named_with_its_extra(
    library: str, replays: list[Replay], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(ModuleNotFoundError, match=rf"pip install '{library}[<>=.,\d]+' \(the extra {library}\)"):
        getattr(replays[0], f"to_{library}")(*(["players"] if library != "duckdb" else []))
