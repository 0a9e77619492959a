"""Promises about `info`, `players` and tables."""

from __future__ import annotations

import json
import re
from datetime import datetime

from playhead.runtime.libraries import pa, pq
from playhead.runtime.records import fields
from playhead.tables.schema import TableSchema
from playhead.tables.shared import INFO, OPEN_ENDED, PLAYERS, SHARED
from playhead.tables.vocabulary import conflicts
from playhead.testing.subject import Subject, refusal
from playhead.text.json import to_json

#: Valid names of tables and columns.
_NAME = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*")


def info_is_typed(subject: Subject) -> None:
    """`Replay.info` has values of the promised types, and table ``info`` has the same values."""
    info = subject.replay.info
    assert info.format == subject.format
    assert info.source == subject.replay.name == str(subject.path)
    assert isinstance(info.complete, bool)
    assert info.complete, "the sample is a complete recording"
    for name in ("game", "game_word", "version", "map", "winner_side", "winner_name"):
        assert isinstance(getattr(info, name), str | None), name
    assert info.game, "the game has a name"
    for name in ("build", "duration_ticks", "winner_team"):
        assert isinstance(getattr(info, name), int | None), name
    assert info.ticks_per_second is None or info.ticks_per_second > 0
    for name in ("start_time", "end_time", "played_at"):
        time = getattr(info, name)
        assert time is None or (isinstance(time, datetime) and time.tzinfo is not None), f"{name}: {time!r}"
    (row,) = subject.tables["info"].to_pylist()
    facts = info.as_dict()
    assert json.loads(row.pop("details")) == json.loads(to_json(facts.pop("details")))
    for name in _own_columns(subject, INFO):
        assert row.pop(name) == info.details.get(name), f"{name} is the item of `details`"
    assert row == facts


def _own_columns(subject: Subject, shared: TableSchema) -> tuple[str, ...]:
    """Return the format's own columns, which follow the shared ones of table ``info`` or ``players``."""
    return subject.replay.tables[shared.name].column_names[len(shared.columns) :]


def players_are_typed(subject: Subject) -> None:
    """`Replay.players` has values of the promised types, and table ``players`` has the same values."""
    players = subject.replay.players
    rows = subject.tables["players"].to_pylist()
    assert len(rows) == len(players)
    for player, row in zip(players, rows, strict=True):
        assert isinstance(player.player, int) or player.kind in ("observer", "referee")
        assert player.result in ("win", "loss", "tie", None)
        details = json.loads(row.pop("details"))
        facts = player.as_dict()
        assert details == json.loads(to_json(facts.pop("details")))
        for name in _own_columns(subject, PLAYERS):
            assert row.pop(name) == player.details.get(name), f"{name} is the item of `details`"
        assert row == facts
        assert set(row) | {"details"} == {field.name for field in fields(player)}


def schemas_are_versioned_and_documented(subject: Subject) -> None:
    """Every table and column has a lower-case name and a description."""
    schemas = subject.replay.tables
    assert {"info", "players"} <= schemas.keys()
    for name, schema in schemas.items():
        assert schema.name == name
        assert _NAME.fullmatch(name), name
        assert schema.version >= 1, name
        assert schema.doc.strip(), f"table {name} has no description"
        assert len(set(schema.column_names)) == len(schema.columns), f"table {name} has two columns of one name"
        schema.arrow()
        for column in schema.columns:
            where = f"{name}.{column.name}"
            assert _NAME.fullmatch(column.name), where
            assert column.doc.strip(), f"{where} has no description"
        assert schema.group in ("facts", "series", "log", "messages", "file"), name


def columns_are_of_the_vocabulary(subject: Subject) -> None:
    """A column has the type, unit and meaning that its name has in every game, and no two tables share another."""
    broken = list(conflicts(subject.replay.tables.values()))
    assert not broken, "\n".join(broken)


def shared_tables_are_the_same_in_every_format(subject: Subject) -> None:
    """``chat``, ``events``, ``positions`` … have the shared columns first: names, types, units."""
    for name, shared in SHARED.items():
        schema = subject.replay.tables.get(name)
        if schema is None:
            continue
        first = schema.columns[: len(shared.columns)]
        for ours, theirs in zip(first, shared.columns, strict=True):
            assert (ours.name, ours.type, ours.unit) == (theirs.name, theirs.type, theirs.unit), name
        assert name in OPEN_ENDED or len(schema.columns) == len(shared.columns), f"table {name} has more columns"


def tables_are_as_promised(subject: Subject) -> None:
    """Every table has exactly the columns and types of its schema, and rows."""
    assert set(subject.tables) == set(subject.replay.tables)
    for name, table in subject.tables.items():
        assert table.schema.equals(subject.replay.tables[name].arrow(), check_metadata=True), name
        table.validate(full=True)
        assert table.num_rows, f"the sample has no row of table {name}"


def players_of_tables_are_known(subject: Subject) -> None:
    """Each number in a shared table's column ``player`` is in table ``players``."""
    known = {player.player for player in subject.replay.players}
    for name in SHARED:
        if name in subject.tables and "player" in subject.tables[name].column_names:
            odd = set(subject.tables[name]["player"].unique().to_pylist()) - known - {None}
            assert not odd, f"table {name} has players {sorted(odd)} that are not in table players"


def chat_has_names(subject: Subject) -> None:
    """A line of chat has the name of its player, if the player has one."""
    names = {player.player: player.name for player in subject.replay.players if player.player is not None}
    for row in subject.tables["chat"].to_pylist() if "chat" in subject.tables else ():
        assert row["name"] or not names.get(row["player"]), row


def what_is_never_null_is_not(subject: Subject) -> None:
    """A column that is `required` in its schema has no null."""
    for name, table in subject.tables.items():
        for column in subject.replay.tables[name].columns:
            assert not (column.required and table[column.name].null_count), f"{name}.{column.name} has nulls"


def seconds_are_ticks_by_the_rate(subject: Subject) -> None:
    """Column ``seconds`` is ``tick`` divided by the rate of ``info`` in every table with both; null before tick
    0."""
    clock = subject.replay.info.clock
    for name, table in subject.tables.items():
        if not {"tick", "seconds"} <= set(table.column_names):
            continue
        for tick, seconds in zip(table["tick"].to_pylist(), table["seconds"].to_pylist(), strict=True):
            if tick is None or tick < 0 or clock is None:
                assert seconds is None, f"{name}: tick {tick} has seconds {seconds}"
            else:
                assert seconds is not None, f"{name}: tick {tick} has no seconds"
                assert abs(seconds - clock.seconds(tick)) < 1e-6, f"{name}: tick {tick} has seconds {seconds}"


def a_table_alone_is_the_same(subject: Subject) -> None:
    """A table that is read alone, or column by column, equals the one from a pass over all tables."""
    for name, table in subject.tables.items():
        alone = subject.open()
        assert alone.table(name).equals(table), name
        some = table.column_names[::2]
        assert alone.table(name, columns=some).equals(table.select(some)), name
    said = refusal(KeyError, lambda: subject.replay.table("infoo"))
    assert "info" in said.replace("infoo", ""), "the error suggests the table that is meant"


def batches_are_the_table(subject: Subject) -> None:
    """`Replay.batches` gives the rows of the table in order, a batch at a time."""
    for name, table in subject.tables.items():
        parts = list(subject.open().batches(name, rows=7))
        assert all(part.num_rows <= 7 for part in parts), name
        joined = pa.Table.from_batches(parts, table.schema)
        # Dictionaries may have their values in another order: only then are rows compared.
        assert joined.equals(table) or joined.to_pylist() == table.to_pylist(), name


def what_is_exported_is_the_table(subject: Subject) -> None:
    """Parquet files equal the tables, with their schemas; the text formats have all rows."""
    paths = subject.replay.export(subject.folder / "parquet")
    assert {path.stem for path in paths} == set(subject.tables)
    for path in paths:
        read = pq.read_table(path)
        promised = subject.tables[path.stem].schema
        assert read.schema.equals(promised), path.name
        assert read.schema.metadata == promised.metadata, path.name
        for field in promised:
            kept = read.schema.field(field.name).metadata
            assert (kept[b"doc"], kept[b"unit"]) == (field.metadata[b"doc"], field.metadata[b"unit"]), path.name
        assert read.equals(subject.tables[path.stem]), path.name
    for path in subject.replay.export(subject.folder / "ndjson", format="ndjson", tables=list(subject.tables)[:4]):
        rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
        assert len(rows) == subject.tables[path.stem].num_rows, path.name
