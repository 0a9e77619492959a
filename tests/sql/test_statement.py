"""Which tables a statement reads."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from typing import Any
from unittest.mock import Mock

import pytest

duckdb = pytest.importorskip("duckdb", reason="SQL is DuckDB's")

from playhead.sql.connection import connect  # noqa: E402
from playhead.sql.statement import parse  # noqa: E402


@pytest.fixture
def connection() -> Iterator[Any]:
    with closing(connect()) as made:
        yield made


@pytest.mark.parametrize(
    ("text", "tables"),
    [
        ("SELECT 1", set()),
        ("FROM chat", {"chat"}),
        ("SELECT * FROM chat c JOIN players p USING (player)", {"chat", "players"}),
        ("SELECT (SELECT max(tick) FROM kills) FROM chat WHERE player IN (SELECT player FROM draft)",
         {"kills", "chat", "draft"}),
        ("WITH x AS (SELECT * FROM chat) SELECT * FROM x, runes", {"chat", "x", "runes"}),
        ("SELECT * FROM chat UNION ALL SELECT * FROM \"entities:CDOTA*\"", {"chat", "entities:CDOTA*"}),
        ("DESCRIBE chat", {"chat"}),
        ("SUMMARIZE chat", {"chat"}),
        ("PIVOT chat ON channel USING count(*)", {"chat"}),
        ("SELECT 'kills' AS chat", set()),
    ],
)  # fmt: skip
def test_tables_are_those_that_the_statement_reads(connection: Any, text: str, tables: set[str]) -> None:
    found = parse(connection, text, lambda: {"chat", "kills", "players", "info"})
    assert found.tables == tables
    assert found.text == text


def test_calls_of_entities_become_tables(connection: Any) -> None:
    text = "SELECT e.tick FROM entities('A*', fields := ['x', 'y'], every := '1s') AS e JOIN chat USING (tick)"
    found = parse(connection, text, tuple)
    [(name, call)] = found.calls.items()
    assert (call.pattern, call.options) == ("A*", {"fields": ["x", "y"], "every": "1s"})
    assert found.tables == {"chat"}
    connection.execute(f'CREATE TABLE "{name}" AS SELECT 7 AS tick').fetchall()
    connection.execute("CREATE TABLE chat AS SELECT 7 AS tick").fetchall()
    assert connection.execute(found.text).fetchall() == [(7,)]


def test_calls_of_a_table_with_options_become_tables(connection: Any) -> None:
    text = "SELECT tick FROM kills(raw := ['a', 'b'], every := '1s') JOIN range(3) ON true JOIN chat USING (tick)"
    found = parse(connection, text, lambda: {"chat", "kills"})
    [(name, call)] = found.calls.items()
    assert (call.function, call.pattern, call.options) == ("kills", None, {"raw": ["a", "b"], "every": "1s"})
    assert (name, found.tables) == ("kills(every := '1s', raw := ['a', 'b'])", {"chat"})
    assert parse(connection, text, tuple).calls == {}


def test_equal_calls_of_entities_are_one_table(connection: Any) -> None:
    found = parse(
        connection, "SELECT * FROM entities('A', every := 30) JOIN entities('A', every := 30) b USING (x)", tuple
    )
    assert len(found.calls) == 1


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("SELECT 1; SELECT 2", "one SQL statement, got 2"),
        ("", "one SQL statement, got 0"),
        ("SELECT * FROM entities()", "needs a class name"),
        ("SELECT * FROM entities(7)", "one class name or pattern, got 7"),
        ("SELECT * FROM entities('A', 'B')", "one class name or pattern, got 'B'"),
        ("SELECT * FROM entities('A', often := 1)", "no option 'often'; it has fields, every"),
        ("SELECT * FROM entities('A', every := tick)", "have to be constants"),
        ("SELECT * FROM kills(raw := tick)", "have to be constants"),
        ("SELECT * FROM kills('m_iHealth')", "kills.. takes options by name, such as raw := .*, got 'm_iHealth'"),
        ("SELECT * FROM kills(jobs := 9)", "takes options by name"),
        (f"SELECT * FROM kills(raw := [{'1,' * 10_000_000}1])", "may have 256 KiB"),
        (f"SELECT '{'é' * 140_000}'", "may have 256 KiB"),
    ],
    ids=lambda given: given[:60],
)
def test_what_is_wrong_is_said(connection: Any, text: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        parse(connection, text, lambda: {"kills"})


def test_what_is_too_deep_for_python_s_json_is_said(connection: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """How deep that is depends on the version of Python."""
    monkeypatch.setattr("playhead.sql.statement.json.loads", Mock(side_effect=RecursionError))
    with pytest.raises(ValueError, match="too deep"):
        parse(connection, f"SELECT {'NOT ' * 900}true", tuple)


def test_no_sql_is_duckdb_s_error(connection: Any) -> None:
    with pytest.raises(duckdb.ParserException, match="SELEC"):
        parse(connection, "SELEC 1", tuple)
