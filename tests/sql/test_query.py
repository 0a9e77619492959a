"""Queries over replays and over exported tables."""

from __future__ import annotations

import signal
import threading
from pathlib import Path

import pytest

duckdb = pytest.importorskip("duckdb", reason="SQL is DuckDB's")

import playhead  # noqa: E402
from playhead import Replay  # noqa: E402
from playhead.runtime import interrupts  # noqa: E402
from playhead.sql import query_folder, query_replays  # noqa: E402
from playhead.sql.connection import connect  # noqa: E402

pytestmark = pytest.mark.slow_interpreted


@pytest.fixture
def dota(samples: dict[str, Path]) -> Replay:
    return playhead.open(samples["source2"])


def test_one_replay(dota: Replay) -> None:
    found = query_replays("SELECT count(*) AS n, max(tick) AS last FROM chat", [dota])
    chat = dota.table("chat")
    assert found.to_pylist() == [{"n": chat.num_rows, "last": max(chat["tick"].to_pylist())}]


@pytest.mark.long
def test_every_table_of_every_format_can_be_read(
    samples: dict[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    # A database takes longer to open than a table of a sample to read: all are in one.
    database = connect()
    monkeypatch.setattr("playhead.sql.query.connect", database.cursor)
    for path in samples.values():
        replay = playhead.open(path)
        for name, table in replay.read_tables().items():
            found = query_replays(f'FROM "{name}"', [replay])
            assert (found.column_names, found.num_rows) == (["file", *table.column_names], table.num_rows)
    database.close()


def test_only_what_is_named_is_built_in_one_pass(dota: Replay, monkeypatch: pytest.MonkeyPatch) -> None:
    passes = []
    build = dota._build_tables
    monkeypatch.setattr(dota, "_build_tables", lambda names: passes.append(names) or build(names))
    query_replays("SELECT * FROM kills JOIN chat USING (tick)", [dota])
    assert passes == [frozenset({"kills", "chat"})]


def test_columns_of_one_name_are_named_apart(dota: Replay, samples: dict[str, Path], tmp_path: Path) -> None:
    found = query_replays("SELECT name, player AS name FROM players", [dota])
    assert found.column_names == ["name", "name_1"]
    playhead.scan(samples["source2"]).export(tmp_path, tables=["players"])
    assert playhead.open_lake(tmp_path).query("SELECT 1 AS a, 2 AS a").to_pylist() == [{"a": 1, "a_1": 2}]


def test_several_replays_have_a_column_file_first(samples: dict[str, Path]) -> None:
    replays = [playhead.open(path) for path in samples.values()]
    players = query_replays("SELECT * FROM players", replays)
    assert players.column_names[0] == "file"
    expected = [(replay.name, player.name) for replay in replays for player in replay.players]
    assert list(zip(players["file"].to_pylist(), players["name"].to_pylist(), strict=True)) == expected


def test_columns_that_one_format_lacks_are_null(samples: dict[str, Path]) -> None:
    replays = [playhead.open(path) for path in samples.values()]
    text = "SELECT format, count(unit) AS units FROM positions p JOIN info i ON p.file = i.source GROUP BY ALL"
    found = {row["format"]: row for row in query_replays(text, replays).to_pylist()}
    assert found.keys() == samples.keys()
    assert found["source2"]["units"] == 0 < found["sc2"]["units"]


def test_a_format_s_own_columns_of_a_shared_table(samples: dict[str, Path], tmp_path: Path) -> None:
    """StarCraft II and Heroes of the Storm have more columns in info and players than the others."""
    text = "SELECT format, mode, count(*) AS players FROM info JOIN players USING (file) GROUP BY ALL ORDER BY ALL"
    found = query_replays(text, (playhead.open(path) for path in samples.values())).to_pylist()
    assert [(row["format"], row["mode"]) for row in found] == [
        ("hots", "Quick Match"),
        ("sc2", "1v1"),
        ("source2", None),
        ("teehistorian", None),
    ]
    for name, path in samples.items():
        playhead.open(path).export(tmp_path / name, tables=["info", "players"])
    assert query_folder(text, tmp_path).to_pylist() == found


def test_entities_by_name_and_by_function(dota: Replay) -> None:
    every = query_replays('SELECT count(*) AS n FROM "entities:CDOTA_Unit_Hero_*"', [dota])
    assert every["n"].to_pylist() == [dota.table("entities:CDOTA_Unit_Hero_*").num_rows]
    text = "SELECT * FROM entities('CDOTA_Unit_Hero_*', fields := ['m_iHealth'], every := '10s')"
    table = dota.table("entities:CDOTA_Unit_Hero_*", fields=["m_iHealth"], every="10s")
    found = query_replays(text, [dota])
    assert found.column_names == ["file", *table.column_names]
    assert found["m_iHealth"].to_pylist() == table["m_iHealth"].to_pylist()


def test_entities_of_some_of_the_replays(samples: dict[str, Path]) -> None:
    replays = [playhead.open(path) for path in samples.values()]
    text = "SELECT DISTINCT file FROM entities('CDOTA_Unit_Hero_*', fields := ['m_iHealth'], every := '10s')"
    assert query_replays(text, replays)["file"].to_pylist() == [str(samples["source2"])]


def test_entities_that_nobody_has(samples: dict[str, Path], dota: Replay) -> None:
    with pytest.raises(KeyError, match="no class of this recording fits 'Nobody'"):
        query_replays("FROM entities('Nobody')", [dota])
    with pytest.raises(KeyError, match="a StarCraft II replay has no entities"):
        query_replays("FROM entities('Nobody')", [playhead.open(samples["sc2"])])


def test_a_table_that_is_not_there_is_named_with_those_that_are(dota: Replay) -> None:
    with pytest.raises(
        duckdb.CatalogException, match=r"no table 'nonsense'; the nearest are .*`playhead tables` list"
    ):
        query_replays("FROM nonsense", [dota])


def test_variables_of_the_caller_are_no_tables(dota: Replay) -> None:
    secret = dota.table("chat")
    assert secret is not None
    with pytest.raises(duckdb.CatalogException):
        query_replays("FROM secret", [dota])


def test_exported_tables(dota: Replay, tmp_path: Path) -> None:
    dota.export(tmp_path, tables=["chat", "players"])
    assert query_folder("FROM chat", tmp_path).column_names == ["file", *dota.table("chat").column_names]
    assert query_folder("SELECT name FROM players", tmp_path)["name"].to_pylist() == [p.name for p in dota.players]


def test_exported_tables_of_several_replays(samples: dict[str, Path], tmp_path: Path) -> None:
    expected = []
    for name, path in samples.items():
        replay = playhead.open(path)
        replay.export(tmp_path / f"it's {name}", tables=["players"])
        expected += [(f"it's {name}", player.name) for player in replay.players]
    found = query_folder("SELECT * FROM players", tmp_path)
    assert found.column_names[0] == "file"
    rows = zip(found["file"].to_pylist(), found["name"].to_pylist(), strict=True)
    assert sorted(rows) == sorted(expected)


def test_a_folder_without_tables(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="no Parquet files"):
        query_folder("SELECT 1", tmp_path)


@pytest.mark.parametrize("text", ["SHOW TABLES", "SELECT table_name AS name FROM information_schema.tables"])
def test_which_tables_there_are_can_be_asked(dota: Replay, text: str) -> None:
    assert set(query_replays(text, [dota])["name"].to_pylist()) == {*dota.tables, "problems"}


def test_a_join_of_several_files_without_their_column_is_a_warning(
    samples: dict[str, Path], dota: Replay, recwarn: pytest.WarningsRecorder
) -> None:
    both = [playhead.open(samples["sc2"]), dota]
    with pytest.warns(UserWarning, match=r"joins rows of different files \(2 are read\)"):
        query_replays("SELECT i.game FROM info i JOIN players p ON i.winner_side = p.side", both)
    with pytest.warns(UserWarning, match="different files"):
        playhead.scan([samples["sc2"], samples["source2"]], jobs=0).query("SELECT * FROM players a, players b")
    query_replays("SELECT i.game FROM info i JOIN players p ON i.winner_side = p.side", [dota])
    query_replays("SELECT * FROM info JOIN players USING (file)", both)
    query_replays("FROM players SELECT name UNION FROM info SELECT map", both)
    assert not recwarn.list


def test_options_of_a_table_are_those_of_a_function(dota: Replay, samples: dict[str, Path]) -> None:
    text = "SELECT DISTINCT tick FROM player_series(every := '10s') ORDER BY ALL"
    ticks = query_replays(text, [playhead.open(samples["sc2"]), dota])["tick"].to_pylist()
    assert ticks == sorted({*dota.table("player_series", every="10s")["tick"].to_pylist()})
    with pytest.raises(ValueError, match="no option 'often'"):
        query_replays("FROM player_series(often := 1)", [dota])
    with pytest.raises(duckdb.Error, match="no table 'playr_series'; did you mean player_series"):
        query_replays("FROM playr_series(every := 1)", [dota])


def test_a_misspelt_table_is_suggested_as_it_is_spelt(dota: Replay) -> None:
    with pytest.raises(duckdb.CatalogException, match="did you mean kills"):
        query_replays("SELECT * FROM kils", [dota])


def test_an_interrupt_while_its_thread_begins_waits_for_the_query(monkeypatch: pytest.MonkeyPatch) -> None:
    ended: list[bool] = []
    stopped = threading.Event()

    class Interrupted(threading.Thread):
        def start(self) -> None:
            super().start()
            signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr(interrupts, "Thread", Interrupted)
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt):
            interrupts.apart(lambda: ended.append(stopped.wait(20)), stopped.set)
    finally:
        signal.signal(signal.SIGINT, before)
    assert ended == [True]


def test_problems_are_a_table(samples: dict[str, Path], tmp_path: Path) -> None:
    (tmp_path / "cut.dem").write_bytes(samples["source2"].read_bytes()[:-5000])
    cut, whole = playhead.open(tmp_path / "cut.dem"), playhead.open(samples["sc2"])
    found = query_replays('SELECT file, kind, "where", "offset" FROM problems', [cut, whole]).to_pylist()
    known = [
        {"file": cut.name, "kind": one.kind, "where": one.where, "offset": one.offset} for one in cut.problems
    ]
    assert known
    assert found == known
    with pytest.raises(KeyError, match="the attribute `problems` has what could not be read; SQL has it"):
        cut.table("problems")
    corpus = playhead.scan(tmp_path, jobs=0)
    corpus.export(tmp_path / "lake", tables="chat")
    for many in corpus, playhead.open_lake(tmp_path / "lake"):
        assert many.query("SELECT count(*) AS n FROM problems JOIN info USING (replay)").to_pylist() == [
            {"n": len(known)}
        ]
