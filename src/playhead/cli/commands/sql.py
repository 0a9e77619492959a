"""``playhead sql``: a query over the tables of replays, or over exported ones."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, BinaryIO, cast

import typer

from playhead import Replay, ReplayError
from playhead.cli.inputs.reading import EXIT_UNREADABLE, FormulasOption, Reading, StrictOption
from playhead.cli.output.standard import PrintedFile, print_err
from playhead.cli.output.tables import print_table
from playhead.io.atomic import whole_file

if TYPE_CHECKING:
    import pyarrow as pa


class Form(StrEnum):
    """How to give the result."""

    table = "table"
    csv = "csv"
    ndjson = "ndjson"
    parquet = "parquet"


def sql(
    query: Annotated[
        str,
        typer.Argument(
            metavar="QUERY",
            help="One statement in DuckDB's SQL; `playhead tables` lists what can be read. "
            "Of Source 2 also entities('CDOTA_Unit_Hero_*', fields := ['m_iHealth'], every := '1s').",
        ),
    ],
    inputs: Annotated[
        list[str],
        typer.Argument(
            metavar="FILE|DIR...",
            help="Replays, folders, patterns ('*.dem'), packs, lists (@list.txt), or one lake (folder or URL) or "
            "folder of Parquet.",
        ),
    ],
    form: Annotated[Form | None, typer.Option("--format", help="table by default, or what -o ends in.")] = None,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", metavar="OUT", help="File to write; parquet needs one.")
    ] = None,
    rows: Annotated[int, typer.Option("--rows", metavar="N", min=1, help="Most rows to show as a table.")] = 100,
    strict: StrictOption = False,
    formulas: FormulasOption = True,
) -> None:
    """Query the tables of replays with SQL (needs DuckDB: the extra duckdb).

    Each table is a view of its name; of several replays it has a column `file` first, to join by as well.
    """
    chosen = _form(form, output)
    from playhead.sql import query_replays

    reading = Reading(inputs, strict=strict)
    try:
        exported = _query_exported(query, inputs)
        found = query_replays(query, _replays(reading), several=reading.several) if exported is None else exported
        _give(found, chosen, output, rows, formulas=formulas)
    except typer.Exit:
        raise
    except Exception as error:
        if not _is_expected(error):
            raise
        text = error.args[0] if isinstance(error, KeyError) else error
        print_err(*f"playhead: error: {text}".split("\n"))
        raise typer.Exit(EXIT_UNREADABLE) from None
    if exported is None:
        reading.finish()


def _form(form: Form | None, output: Path | None) -> Form:
    if form is None and output is not None:
        try:
            form = Form(output.suffix.removeprefix("."))
        except ValueError:
            raise typer.BadParameter(f"cannot tell from {output.name} what to write; add --format") from None
    if output is None and form is Form.parquet:
        raise typer.BadParameter("parquet needs a file to write to: -o OUT")
    return form or Form.table


def _is_expected(error: Exception) -> bool:
    """Whether it is about the input, not a fault of the program."""
    if isinstance(error, ReplayError | OSError | ValueError | KeyError | ModuleNotFoundError):
        return True
    duckdb = sys.modules.get("duckdb")
    return duckdb is not None and isinstance(error, duckdb.Error)


def _query_exported(query: str, inputs: list[str]) -> pa.Table | None:
    """The result over a lake or a folder of exported tables; None if the input is replays.

    Raises:
        ValueError: a lake is one of several.
    """
    from playhead.corpus import is_lake, open_lake
    from playhead.sql import query_folder
    from playhead.sql.query import exported_tables

    if len(inputs) == 1 and is_lake(inputs[0]):
        return open_lake(inputs[0]).query(query)
    if len(inputs) == 1 and Path(inputs[0]).is_dir() and exported_tables(Path(inputs[0])):
        return query_folder(query, Path(inputs[0]))
    for name in inputs if len(inputs) > 1 else ():
        if "://" not in name and is_lake(name):
            raise ValueError(f"{name} is a lake, and a lake is queried by itself: export the others into it")
    return None


def _replays(reading: Reading) -> Iterator[Replay]:
    for replay in reading:
        yield replay
        reading.problems_so_far(replay)
    reading.check_any()


def _give(found: pa.Table, form: Form, output: Path | None, rows: int, *, formulas: bool) -> None:
    from playhead.export import write_to

    if form is Form.table:
        print_table(found, rows=rows)
    elif output is None:
        write_to(cast(BinaryIO, PrintedFile()), found, form.value, formulas=formulas)
    else:
        with whole_file(output) as path, path.open("wb") as file:
            write_to(file, found, form.value, formulas=formulas)
