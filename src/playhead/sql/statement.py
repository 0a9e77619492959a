"""The tables that a statement reads, according to DuckDB's own parser."""

from __future__ import annotations

import json
import re
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from playhead.runtime.bounded import BoundExceeded, in_words
from playhead.runtime.interrupts import apart
from playhead.runtime.records import dataclass, field
from playhead.sql.connection import quoted
from playhead.tables.combined import FILE, REPLAY

if TYPE_CHECKING:
    import duckdb

#: The table function ``entities('CDOTA_Unit_Hero_*', fields := ['m_iHealth'], every := '1s')``.
ENTITIES = "entities"
_ENTITY_OPTIONS = ("fields", "every")
#: Arguments of `Replay.table` that are no options of a table.
_RESERVED = ("columns", "jobs")
#: Letters of a text, or items of a list, among the arguments of a table function.
_MOST = 10_000
# Columns that tell files apart, in tables of several.
_NAMES_FILES = re.compile(rf"\b({FILE.name}|{REPLAY.name}|source)\b", re.IGNORECASE)
# A statement that lists the tables: they are registered without rows.
_ASKS_FOR_TABLES = re.compile(
    r"\b(show|describe|information_schema|duckdb_(tables|columns|views))\b", re.IGNORECASE
)
#: Bytes of a statement: its tree takes two thousand times as much memory, before any other limit holds.
MOST_BYTES = 256 << 10


@dataclass(frozen=True, slots=True)
class TableCall:
    """One use of a table function.

    Attributes:
        function: `ENTITIES`, or a table: ``kills(raw := ['money'])`` is `Replay.table` with these options.
        pattern: the class or pattern of `ENTITIES`, for `Source2Replay.entity_table`; None of a table.
        options: the named arguments.
    """

    function: str
    pattern: str | None
    options: Mapping[str, Any]

    @property
    def name(self) -> str:
        """Name of its view; equal calls have equal names."""
        own = [] if self.pattern is None else [repr(self.pattern)]
        options = [f"{name} := {value!r}" for name, value in sorted(self.options.items())]
        return f"{self.function}({', '.join([*own, *options])})"


@dataclass(frozen=True, slots=True)
class Statement:
    """One SQL statement.

    Attributes:
        text: the SQL for DuckDB, with each `TableCall` replaced by the name of a view.
        tables: names that may be tables (some may be common table expressions).
        calls: the calls by the names of their views.
        joins_files: it joins tables, and names no column that tells the files of their rows apart.
    """

    text: str
    tables: frozenset[str]
    calls: Mapping[str, TableCall] = field(default_factory=dict)
    joins_files: bool = False

    @property
    def asks_for_tables(self) -> bool:
        """Whether it lists the tables."""
        return _ASKS_FOR_TABLES.search(self.text) is not None

    def warn_of_files(self, count: Callable[[], int]) -> None:
        """Warn if it joins rows of different files; `count` returns how many files it reads."""
        if self.joins_files and (files := count()) > 1:
            warnings.warn(
                f"the query joins rows of different files ({files} are read): join USING (file, ...) keeps them "
                "apart",
                stacklevel=4,
            )


def parse(connection: duckdb.DuckDBPyConnection, text: str, known: Callable[[], Iterable[str]]) -> Statement:
    """Parse a statement.

    Args:
        known: returns names of tables, which are table functions too; if the parser cannot tell (``PIVOT``,
            ``EXPLAIN`` …), those that occur in `text` count.

    Raises:
        BoundExceeded: it has more than `MOST_BYTES`.
        ValueError: there is more than one statement, it is too deep, or an argument of a table function is wrong.
        duckdb.Error: the SQL is wrong.
    """
    if len(text) > MOST_BYTES or len(text.encode(errors="replace")) > MOST_BYTES:
        raise BoundExceeded(f"a statement may have {in_words(MOST_BYTES)}: put long lists into a table or file")
    try:
        return apart(lambda: _parsed(connection, text, known))
    except RecursionError:  # DuckDB's tree is JSON, which Python's json reads by recursion
        raise ValueError("the statement is too deep: subqueries, joins or operators within each other") from None


def _parsed(connection: duckdb.DuckDBPyConnection, text: str, known: Callable[[], Iterable[str]]) -> Statement:
    from duckdb import Error

    try:
        count = len(connection.extract_statements(text))
    except Error as error:
        raise type(error)(str(error).partition("\n")[0]) from None
    if count != 1:
        raise ValueError(f"expected one SQL statement, got {count}")
    parsed = _serialize(connection, text)
    if parsed is None:
        words = set(re.findall(r'"([^"]+)"', text)) | set(re.findall(r"\w+", text))
        return Statement(text, frozenset(words & {*known()} | {word for word in words if ":" in word}))
    names: set[str] = set()
    calls: dict[str, TableCall] = {}
    functions = {ENTITIES, *known()}
    for node in _nodes(parsed):
        if node.get("type") == "BASE_TABLE":
            names.add(node["table_name"])
        elif node.get("type") == "TABLE_FUNCTION" and node["function"].get("function_name") in functions:
            call = _table_call(connection, node["function"])
            calls[call.name] = call
            _replace(connection, node, call.name)
    joins = any(map(_is_join, _nodes(parsed))) and not _NAMES_FILES.search(text)
    if calls:
        text = _deserialize(connection, parsed)
    return Statement(text, frozenset(names), calls, joins)


def _serialize(connection: duckdb.DuckDBPyConnection, text: str) -> dict[str, Any] | None:
    """Return DuckDB's tree of a statement; None for anything but SELECT."""
    # fetchall, here and below: a partly read result keeps the connection busy (DuckDB 2).
    [(tree,)] = connection.execute("SELECT json_serialize_sql(?::VARCHAR)", [text]).fetchall()
    parsed: dict[str, Any] = json.loads(tree)
    return None if parsed["error"] else parsed


def _deserialize(connection: duckdb.DuckDBPyConnection, tree: Mapping[str, Any]) -> str:
    [(text,)] = connection.execute("SELECT json_deserialize_sql(?::VARCHAR)", [json.dumps(tree)]).fetchall()
    return str(text)


def _nodes(tree: object) -> Iterator[dict[str, Any]]:
    """Yield every object of a tree, without recursion, because a statement may be deep."""
    waiting = [tree]
    while waiting:
        node = waiting.pop()
        if isinstance(node, dict):
            yield node
            waiting.extend(node.values())
        elif isinstance(node, list):
            waiting.extend(node)


def _is_join(node: Mapping[str, Any]) -> bool:
    """Return whether a node joins two tables or subqueries, and not a table with a list of its own row."""
    sides = [node.get(side) or {} for side in ("left", "right")]
    return node.get("type") == "JOIN" and all(side.get("type") != "TABLE_FUNCTION" for side in sides)


def _replace(connection: duckdb.DuckDBPyConnection, node: dict[str, Any], name: str) -> None:
    """Replace a call of a table function by a reference to the table `name`, as this version of DuckDB writes
    it."""
    template = _serialize(connection, f"SELECT * FROM {quoted(name)}")
    assert template is not None
    kept = {key: node[key] for key in ("alias", "sample", "column_name_alias") if key in node}
    node.clear()
    node.update(template["statements"][0]["node"]["from_table"] | kept)


def _table_call(connection: duckdb.DuckDBPyConnection, function: Mapping[str, Any]) -> TableCall:
    called = function["function_name"]
    pattern = None
    options = {}
    # DuckDB 2 has objects with a name and an expression, earlier versions expressions with the name as alias.
    for argument in function.get("arguments", function.get("children", ())):
        expression = argument.get("expression", argument)
        name = argument.get("name") or expression.get("alias")
        value = _constant(connection, expression, called)
        if called != ENTITIES:
            if not name or name in _RESERVED:
                raise ValueError(f"{called}() takes options by name, such as raw := ['m_iHealth'], got {value!r}")
            options[name] = value
        elif not name:
            if pattern is not None or not isinstance(value, str):
                raise ValueError(f"{ENTITIES}() takes one class name or pattern, got {value!r}")
            pattern = value
        elif name not in _ENTITY_OPTIONS:
            raise ValueError(f"{ENTITIES}() has no option {name!r}; it has {', '.join(_ENTITY_OPTIONS)}")
        elif name == "fields":
            names = [value] if isinstance(value, str) else value
            if value is not None and not (
                isinstance(names, list) and all(isinstance(each, str) for each in names)
            ):
                raise ValueError(f"{ENTITIES}() takes names, fields := ['m_iHealth'], got {value!r}")
            options[name] = names
        else:
            options[name] = value
    if called == ENTITIES and pattern is None:
        raise ValueError(f"{ENTITIES}() needs a class name or pattern, such as {ENTITIES}('CDOTA_Unit_Hero_*')")
    return TableCall(called, pattern, options)


def _constant(connection: duckdb.DuckDBPyConnection, expression: Mapping[str, Any], called: str) -> Any:
    """Return the value of an expression that reads no table."""
    from duckdb import Error

    if any(node.get("class") == "SUBQUERY" for node in _nodes(expression)):
        raise ValueError(f"the arguments of {called}() have to be constants, not queries")
    tree = _serialize(connection, "SELECT 1")
    assert tree is not None
    tree["statements"][0]["node"]["select_list"] = [{**expression, "alias": ""}]
    try:
        [(value,)] = connection.execute(_deserialize(connection, tree)).fetchall()
    except Error as error:
        raise ValueError(f"the arguments of {called}() have to be constants: {error}") from None
    if isinstance(value, str | bytes | list | dict) and len(value) > _MOST:
        raise ValueError(f"the arguments of {called}() may have {_MOST} letters or items, not {len(value)}")
    return value
