"""``playhead sql``: queries over the tables of replays, or over exported tables."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import BinaryIO, cast

from playhead import Replay, ReplayError
from playhead.cli.arguments import EXIT_FAILED, Exit, Parser, UsageError, bounded
from playhead.cli.inputs.options import add_formulas, add_json, add_limit, add_simulated_map, add_strict
from playhead.cli.inputs.reading import Reading
from playhead.cli.output.standard import PrintedFile, binary_output, print_error, print_out
from playhead.cli.output.tables import print_table
from playhead.io.atomic import whole_file
from playhead.io.inputs import expand_inputs
from playhead.registry import is_replay
from playhead.runtime.bounded import BoundExceeded, confined, in_words, machine_memory
from playhead.runtime.libraries import pa, pc

_SECONDS = 3600
_FORMS = ("table", "csv", "ndjson", "parquet", "xlsx", "arrow")


def add_arguments(parser: Parser) -> None:
    parser.add_argument(
        "query",
        metavar="QUERY",
        help="One statement in DuckDB's SQL; `playhead tables` lists the tables. Source 2 also has "
        "entities('CDOTA_Unit_Hero_*', fields := ['m_iHealth'], every := '1s'); a table takes its options so: "
        "kills(raw := ['m_iShotsFired', 'money']), player_series(every := '10s').",
    )
    parser.add_argument(
        "inputs",
        metavar="FILE|DIR...",
        nargs="+",
        help="Replays, folders, patterns ('*.dem'), archives, lists (@list.txt); or one lake (folder or URL) or "
        "folder of Parquet files.",
    )
    add_simulated_map(parser)
    parser.option(
        "--format",
        "By default the suffix of OUT, or table without -o. arrow is an Arrow IPC stream on standard output.",
        dest="form",
        choices=_FORMS,
    )
    parser.option("-o --output OUT", "File to write; required for parquet and xlsx.", type=Path)
    add_limit(parser)
    add_json(parser, "One JSON object per row, as --format ndjson.")
    parser.option("--seconds N", "Time that the query may take.", type=bounded(int, 1), default=_SECONDS)
    parser.option(
        "--memory MIB",
        "Memory that it may need, by default three quarters of the machine's; the answer may have half of it.",
        type=bounded(int, 1),
    )
    parser.option("--rows N", "Greatest number of rows to show as a table.", type=bounded(int, 1), default=100)
    add_strict(parser)
    add_formulas(parser)


def run(
    query: str,
    inputs: list[str],
    *,
    map: Path | None,
    other_map: bool,
    form: str | None,
    output: Path | None,
    seconds: int,
    memory: int | None,
    rows: int,
    limit: int | None,
    as_json: bool,
    strict: bool,
    formulas: bool,
) -> None:
    """Query the tables with SQL (extra duckdb).

    Each table is a view of its name, with `file` as its first column, also to join by; and with `replay`, as in a
    lake, if the query names that. With `--map`, a DDNet recording also has the tables of its simulation: physics,
    hooks, shots, hits, freezes, races, deaths, kills.
    """
    chosen = _form("ndjson" if as_json else form, output)
    from playhead.sql import query_replays

    reading = Reading(inputs, strict=strict)
    try:
        most = _memory() if memory is None else memory << 20
        with confined(most, seconds, partial(_end, seconds)):
            exported = _query_exported(query, inputs)
            replays = _replays(reading, map, query, other_map=other_map)
            found = query_replays(query, replays) if exported is None else exported
        found = found.slice(0, limit)
        if most is not None and found.nbytes > most // 2:
            raise BoundExceeded(f"the answer has {in_words(found.nbytes)}, more than half of {in_words(most)}")
        with confined(most):
            _write(found, chosen, output, rows, formulas=formulas)
    except Exception as error:
        if not _is_expected(error):
            raise
        text = error.args[0] if isinstance(error, KeyError) else error
        print_error(*str(text).split("\n"))
        raise Exit(EXIT_FAILED) from None
    if exported is None:
        reading.finish()


def _form(form: str | None, output: Path | None) -> str:
    if form is None and output is not None:
        form = output.suffix.removeprefix(".")
        if form not in _FORMS:
            raise UsageError(f"cannot tell the format from {output.name}; add --format")
    if output is None and form in ("parquet", "xlsx"):
        raise UsageError(f"{form} needs a file to write to: -o OUT")
    if output is not None and form == "arrow":
        raise UsageError("arrow goes to standard output: leave out -o")
    return form or "table"


def _memory() -> int | None:
    whole = machine_memory()
    return None if whole is None else whole // 4 * 3


def _end(seconds: int) -> None:
    print_error(f"the query took longer than {seconds} seconds; --seconds N for more")
    os._exit(EXIT_FAILED)


def _is_expected(error: Exception) -> bool:
    """Return whether an error is due to the input and not a bug."""
    if isinstance(error, ReplayError | OSError | ValueError | KeyError | ModuleNotFoundError):
        return True
    duckdb = sys.modules.get("duckdb")
    return duckdb is not None and isinstance(error, duckdb.Error)


def _query_exported(query: str, inputs: list[str]) -> pa.Table | None:
    """Return the result over a lake or a folder of exported tables; None if the inputs are replays.

    Raises:
        ValueError: a lake is one of several inputs, or a folder holds replays beside exported tables.
    """
    from playhead.corpus import is_lake, open_lake
    from playhead.sql import query_folder
    from playhead.sql.query import exported_tables

    if len(inputs) == 1 and is_lake(inputs[0]):
        return open_lake(inputs[0]).query(query)
    if len(inputs) == 1 and Path(inputs[0]).is_dir() and (tables := exported_tables(Path(inputs[0]))):
        replay = next((each.path for each in expand_inputs(inputs) if is_replay(each.path)), None)
        if replay is not None:
            where = next(iter(tables.values()))[0].parent
            raise ValueError(
                f"{inputs[0]} holds replays ({replay}) and exported tables (in {where}); to query the replays "
                "give their names or a pattern such as '*.dem', to query the tables give their folder alone"
            )
        return query_folder(query, Path(inputs[0]))
    for name in inputs if len(inputs) > 1 else ():
        if "://" not in name and is_lake(name):
            raise ValueError(f"{name} is a lake, which is queried alone: export the other inputs into it")
    return None


def _replays(reading: Reading, map: Path | None, query: str, *, other_map: bool) -> Iterator[Replay]:
    words = re.findall(r"\w+", query)
    for replay in reading:
        if map is not None:
            if not reading.can(replay, "simulate"):
                continue
            replay.use_map(map, other_map=other_map)
        yield replay
        tables = replay.tables_so_far
        named = [name for name in replay.tables if name in tables and name in words]
        _note_empty(reading, replay, named, {f"{name}.{word}" for name in named for word in words})
        for name in () if "counts" in words else named:
            table = replay.table(name)
            if {"round_num", "counts"} <= {*table.column_names} and not pc.all(table["counts"]).as_py():
                reading.misses(replay, f"has rows of {name} that do not count, as of undone rounds: WHERE counts")
        reading.problems_so_far(replay)
    reading.check_any()


def _note_empty(reading: Reading, replay: Replay, tables: list[str], columns: set[str]) -> None:
    """Note which of these tables and columns a recording leaves empty or cannot fill, and why."""
    for name, reason in replay.why_empty(*tables, columns=columns).items():
        if name in columns:
            lacks = "has no values of column"
        else:
            lacks = "lacks rows of table" if replay.table(name).num_rows else "has no rows of table"
        reading.misses(replay, f"{lacks} {name}: {reason}")


def _write(found: pa.Table, form: str, output: Path | None, rows: int, *, formulas: bool) -> None:
    from playhead.export import write_stream, write_to

    try:
        if form == "table":
            print_table(found, rows=rows)
        elif form == "arrow":
            write_stream(binary_output(), found.to_batches(), found.schema)
        elif output is None:
            write_to(cast(BinaryIO, PrintedFile()), found, form, formulas=formulas)
        else:
            with whole_file(output) as path, path.open("wb") as file:
                write_to(file, found, form, formulas=formulas)
            print_out(output)
    except (OverflowError, NotImplementedError) as error:
        raise ValueError(
            f"a value of the answer cannot be written ({error}): cast it, as with ::VARCHAR"
        ) from None
