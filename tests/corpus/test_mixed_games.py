"""Tables of several games: each shared table is one over all games, of a corpus, of files in SQL and of a lake."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import nullcontext
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.cli.in_process import run

import playhead
from playhead.corpus import Lake
from playhead.corpus.reading.replays import Replays
from playhead.errors import ColumnTypeError
from playhead.registry import list_formats
from playhead.sql import query_folder, query_replays
from playhead.tables.combined import combined

duckdb = pytest.importorskip("duckdb", reason="SQL is DuckDB's")

pytestmark = pytest.mark.slow_interpreted

GAMES = ("dota2", "cs2", "deadlock", "sc2", "hots", "ddnet")
#: Shared tables that differ most from game to game.
SOME = ("info", "inputs", "kills", "players")


@pytest.fixture(scope="module")
def replays(samples: dict[str, Path], short_match: Callable[[str], Path]) -> dict[str, playhead.Replay]:
    paths = [*samples.values(), short_match("cs2"), short_match("deadlock")]
    found = {replay.info.game: replay for replay in map(playhead.open, paths)}
    assert sorted(found) == sorted(GAMES)
    return found


@pytest.fixture(scope="module")
def samples(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("samples")
    return {known.name: known.write_sample(folder) for known in list_formats()}


@pytest.fixture(scope="module")
def shared(replays: dict[str, playhead.Replay]) -> dict[str, int]:
    """The rows of each table that two games share."""
    names = [name for replay in replays.values() for name in replay.tables]
    chosen = sorted({name for name in names if names.count(name) > 1})
    assert {"info", "players", "chat", "events", "inputs", "positions", "kills", "damage"} <= {*chosen}
    tables = {
        game: replay.read_tables([each for each in chosen if each in replay.tables])
        for game, replay in replays.items()
    }
    return {name: sum(some[name].num_rows for some in tables.values() if name in some) for name in chosen}


@pytest.fixture(scope="module")
def corpus(replays: dict[str, playhead.Replay]) -> playhead.Corpus:
    return playhead.scan([replay.name for replay in replays.values()], jobs=0)


@pytest.fixture(scope="module")
def lake(corpus: playhead.Corpus, shared: dict[str, int], tmp_path_factory: pytest.TempPathFactory) -> Lake:
    place = tmp_path_factory.mktemp("lake") / "lake"
    corpus.export(place, tables=list(shared))
    return playhead.open_lake(place)


@pytest.mark.long
def test_every_shared_table_is_one_of_the_games(
    replays: dict[str, playhead.Replay], shared: dict[str, int]
) -> None:
    wrong = []
    for name, count in shared.items():
        parts = [(game, replay.table(name)) for game, replay in replays.items() if name in replay.tables]
        try:
            table = combined(name, parts)
        except ColumnTypeError as error:
            wrong.append(str(error))
            continue
        assert table.num_rows == count
        types = {(field.name, field.type) for _, part in parts for field in part.schema}
        wrong += [
            f"{name}.{column} is {type_}" for column, type_ in types if table.schema.field(column).type != type_
        ]
    assert not wrong


def counted(shared: dict[str, int]) -> str:
    """A statement that counts the rows of every shared table: one pass over the replays."""
    return " UNION ALL ".join(f"SELECT '{name}' AS name, count(*) AS n FROM \"{name}\"" for name in shared)


def rows_of(found: pa.Table) -> dict[str, int]:
    return dict(zip(found["name"].to_pylist(), found["n"].to_pylist(), strict=True))


@pytest.mark.long
@pytest.mark.parametrize("source", ["corpus", "lake"])
def test_tables_of_a_corpus_and_of_a_lake(
    source: str, corpus: playhead.Corpus, lake: Lake, shared: dict[str, int]
) -> None:
    held: Replays = {"corpus": corpus, "lake": lake}[source]
    assert {*shared} <= {*held.tables}
    assert rows_of(held.query(counted(shared))) == shared
    with held.to_duckdb(list(shared)) as connection:
        assert rows_of(connection.sql(counted(shared)).to_arrow_table()) == shared
    for name in SOME if source == "corpus" else shared:
        assert held.table(name).num_rows == shared[name]
        assert sum(each.num_rows for each in held.batches(name)) == shared[name]
    with held.to_duckdb() as connection:
        count = connection.sql("SELECT count(*) FROM kills").fetchall()
    assert count == [(shared["kills"],)]


@pytest.mark.parametrize("name", SOME)
def test_lazy_frames_are_the_same(name: str, corpus: playhead.Corpus, lake: Lake, shared: dict[str, int]) -> None:
    pytest.importorskip("polars")
    one, other = (held.lazy(name).collect().sort("replay", maintain_order=True) for held in (corpus, lake))
    assert one.height == shared[name]
    assert sorted(one.columns) == sorted(other.columns)
    assert one.equals(other.select(one.columns))
    assert one.schema == other.select(one.columns).schema


def test_sql_over_files(replays: dict[str, playhead.Replay], shared: dict[str, int]) -> None:
    assert rows_of(query_replays(counted(shared), replays.values())) == shared


def test_a_statement_that_names_replays_has_them(replays: dict[str, playhead.Replay], lake: Lake) -> None:
    text = "SELECT replay, count(*) AS n FROM players JOIN info USING (replay) GROUP BY replay ORDER BY replay"
    found = query_replays(text, replays.values())
    assert found.to_pylist() == lake.query(text).to_pylist()
    assert found["replay"].to_pylist() == [*lake.replays]
    assert query_replays("SELECT * FROM info", replays.values()).column_names[:2] == ["file", "format"]


def test_a_statement_of_the_command_line(replays: dict[str, playhead.Replay]) -> None:
    files = [replays[game].name for game in ("cs2", "ddnet")]
    found = run("sql", "SELECT count(*) AS n FROM inputs", *files, "--format", "csv")
    rows = sum(replays[game].table("inputs").num_rows for game in ("cs2", "ddnet"))
    assert (found.returncode, found.stdout.split()) == (0, ['"n"', str(rows)]), found.stderr


def test_who_won(corpus: playhead.Corpus, lake: Lake, replays: dict[str, playhead.Replay]) -> None:
    names = ["game", "winner_team", "winner_side", "winner_name"]
    told = {game: {name: getattr(replay.info, name) for name in names} for game, replay in replays.items()}
    assert any(row["winner_side"] for row in told.values())
    for held in (corpus, lake):
        assert {row["game"]: row for row in held.info().select(names).to_pylist()} == told
    found = lake.query(f"SELECT {', '.join(names)} FROM lake_inputs").to_pylist()
    assert {row["game"]: row for row in found} == told


def test_a_series_has_the_fields_of_its_games(corpus: playhead.Corpus, lake: Lake) -> None:
    for held in (corpus, lake):
        names = {game: {*held.filter(game=game).series().schema.names} for game in ("cs2", "ddnet")}
        assert "money" in names["cs2"]
        assert "hook" in names["ddnet"]
        assert names["cs2"].isdisjoint({"hook", "minerals", "net_worth"})
        both = held.filter(game=["cs2", "ddnet"]).series().schema.names
        assert {*both} == names["cs2"] | names["ddnet"]


# -- types that differ ----------------------------------------------------------------------------------------


def test_files_of_other_games_add_no_columns(lake: Lake, monkeypatch: pytest.MonkeyPatch) -> None:
    """A compacted file may hold readings from before and after one of another game."""
    expected = lake.filter(game="sc2").schema("players").names
    monkeypatch.setattr("playhead.corpus.reading.lake.covering", lambda files, readings: files)
    assert lake.filter(game="sc2").schema("players").names == expected


def count_in(query: Callable[[str], pa.Table], name: str) -> int:
    return query(f'SELECT count(*) AS n FROM "{name}"')["n"][0].as_py()  # type: ignore[no-any-return]


def strange_table(replay: Any) -> pa.Table:
    """Table kills, with a column of another type than ours."""
    table = replay.table("kills")
    place = table.schema.get_field_index("tick")
    return table.set_column(place, "tick", table["tick"].cast(pa.string()))


def test_a_column_of_another_type_is_an_error_that_names_it(
    replays: dict[str, playhead.Replay], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cs2, dota2 = replays["cs2"], replays["dota2"]
    parts = [("new.dem", cs2.table("kills")), ("old.dem", strange_table(dota2))]
    with pytest.raises(ColumnTypeError) as caught:
        combined("kills", parts)
    told = "column tick of table kills has types that cannot be combined: int32 in new.dem and string in old.dem"
    assert str(caught.value) == told
    assert (caught.value.table, caught.value.column) == ("kills", "tick")
    assert caught.value.types == {"new.dem": "int32", "old.dem": "string"}
    for name, table in (("one", parts[0][1]), ("other", parts[1][1])):
        (tmp_path / name).mkdir()
        pq.write_table(table, tmp_path / name / "kills.parquet")
        pq.write_table(cs2.table("players"), tmp_path / name / "players.parquet")
    with pytest.raises(ColumnTypeError, match=r"column tick of table kills .*: int32 in .*one.* and string in"):
        query_folder("SELECT count(*) FROM kills", tmp_path)
    assert query_folder("SELECT count(*) AS n FROM players", tmp_path)["n"][0].as_py()
    # Of replays: another package's reader of one of the games.
    read, odd = type(dota2).read_tables, strange_table(dota2)

    def strange(self: Any, *args: Any, **options: Any) -> Mapping[str, pa.Table]:
        found = read(self, *args, **options)
        return {name: odd if name == "kills" else table for name, table in found.items()}

    monkeypatch.setattr(type(dota2), "read_tables", strange)
    files = [cs2.name, dota2.name]
    found = run("sql", "SELECT count(*) FROM kills", *files)
    assert found.returncode == 1
    assert found.stderr == (
        f"playhead: error: column tick of table kills has types that cannot be combined: int32 in {cs2.name} and "
        f"string in {dota2.name}\n"
    )
    assert run("sql", "SELECT count(*) FROM players", *files).returncode == 0


@pytest.mark.long
def test_such_a_column_in_a_corpus_and_in_a_lake(
    replays: dict[str, playhead.Replay], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("playhead.corpus.writing.decode.Request.read", _read_strangely)
    corpus = playhead.scan([replays[game].name for game in ("cs2", "dota2")], jobs=0)
    assert count_in(corpus.query, "info") == 2
    for asked in (corpus.table, corpus.lazy, corpus.batches, partial(count_in, corpus.query), corpus.to_duckdb):
        with pytest.raises(ColumnTypeError, match="column tick of table kills has types"):
            asked("kills")
    assert corpus.filter(game="cs2").table("kills").num_rows == replays["cs2"].table("kills").num_rows
    with pytest.warns(UserWarning, match="table kills is skipped: column tick"):
        connection = corpus.to_duckdb()
    assert connection.sql("SELECT count(*) FROM info").fetchall() == [(2,)]
    connection.close()
    # A lake has one type for a column: an export of another type fails, at once or beside what is there.
    with pytest.raises(ColumnTypeError, match="column tick of table kills has types"):
        corpus.export(tmp_path / "lake", tables=["info", "kills"])
    for game in ("cs2", "dota2"):
        with nullcontext() if game == "cs2" else pytest.raises(ColumnTypeError, match="string in this export"):
            corpus.filter(game=game).export(tmp_path / "lake", tables=["info", "kills"])
    lake = playhead.open_lake(tmp_path / "lake")
    assert lake.table("kills").num_rows == replays["cs2"].table("kills").num_rows


def _read_strangely(self: Any, replay: playhead.Replay) -> Mapping[str, pa.Table]:
    tables = {name: replay.table(name) for name in self.choose(replay.tables)}
    if "kills" in tables and replay.info.game == "dota2":
        tables["kills"] = strange_table(replay)
    return tables


# -- errors ---------------------------------------------------------------------------------------------------


@pytest.mark.long
@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("SELECT * FROM chats", "no table 'chats'; did you mean chat?"),
        ("SELECT nam FROM players", "no column 'nam'; did you mean name"),
        ("SELECT p.nam FROM players p", "no column 'nam'; did you mean name"),
        ("SELECT FROM WHERE", "Parser Error: "),
        ("SELECT count(*) FROM info; SELECT 1", "expected one SQL statement, got 2"),
        ("SELECT CAST(format AS INT) FROM info", "Conversion Error: Could not convert string '"),
    ],
)
def test_errors_are_one_line(
    text: str, told: str, corpus: playhead.Corpus, lake: Lake, replays: dict[str, playhead.Replay]
) -> None:
    part = corpus.filter(game=["ddnet", "sc2"])
    asked = [partial(query_replays, replays=[replays["sc2"], replays["ddnet"]]), lake.query, part.query]
    for query in asked:
        with pytest.raises((duckdb.Error, ValueError)) as caught:
            query(text)
        assert str(caught.value).startswith(told)
        assert "\n" not in str(caught.value)
    files = [replays[game].name for game in ("sc2", "ddnet")]
    found = run("sql", text, *files)
    assert found.returncode == 1
    assert found.stderr.startswith(f"playhead: error: {told}")
    assert found.stderr.count("\n") == 1


def test_statistics_of_a_corpus_are_those_of_its_lake(corpus: playhead.Corpus, lake: Lake) -> None:
    games = ["dota2", "cs2", "deadlock", "sc2"]  # the lake has no table `runs`, of DDNet
    found = corpus.filter(game=games).player_stats(["game", "character"], per="minute")
    assert {*found["game"].to_pylist()} == {*games}
    assert (
        found.to_pylist() == lake.filter(game=games).player_stats(["game", "character"], per="minute").to_pylist()
    )
    assert "finishes" in corpus.player_stats("game").column_names
    cs2 = corpus.filter(game="cs2").player_stats(["player", "side"], per="round")
    assert {*cs2["side"].to_pylist()} == {"t", "ct"}
    with pytest.raises(ValueError, match="of whole matches"):
        lake.player_stats("side")


def test_a_corpus_at_a_prompt_is_as_a_replay(samples: dict[str, Path]) -> None:
    corpus = playhead.scan(samples["sc2"].parent)
    before = corpus._repr_html_()
    assert f"{len(samples)} files" in repr(corpus)
    assert str(samples["sc2"]) in before
    corpus.info()
    assert f"{len(samples)} replays" in repr(corpus)
    assert "Two Rivers LE" in corpus._repr_html_()
    assert "Two Rivers LE" not in before
    assert corpus.t.chat.equals(corpus.table("chat"))
    assert {"chat", "kills"} <= {*dir(corpus.t)} & {*dir(corpus.plot)}
    with pytest.raises(AttributeError, match="did you mean kills"):
        _ = corpus.t.kils


def test_pictures_of_a_corpus(samples: dict[str, Path]) -> None:
    pytest.importorskip("matplotlib", reason="plots need the extra plot")
    corpus = playhead.scan(samples["sc2"].parent)
    assert corpus.plot.kills("points", where={"game": "dota2"}, role="victim").collections
    with pytest.raises(KeyError, match="no replay has a table 'nothing'"):
        corpus.plot.nothing()
