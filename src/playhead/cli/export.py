"""``playhead export``: tables to files."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from playhead import Replay, ReplayError
from playhead.cli.reading import FilesArgument, Reading, StrictOption


class FileFormat(StrEnum):
    """File formats that tables can be written in."""

    parquet = "parquet"
    csv = "csv"
    ndjson = "ndjson"


def export(
    files: FilesArgument,
    output: Annotated[
        Path,
        typer.Option(
            "-o",
            "--output",
            metavar="DIR",
            help="Folder to write to: DIR/TABLE.FORMAT, or DIR/FILE/TABLE.FORMAT where several files are given.",
        ),
    ],
    format: Annotated[FileFormat, typer.Option("--format", help="File format.")] = FileFormat.parquet,
    table: Annotated[
        list[str] | None, typer.Option("--table", help="Only this table (repeat for several); all by default.")
    ] = None,
    stream: Annotated[
        bool,
        typer.Option("--stream", help="Read front to back in flat memory, for inputs larger than memory."),
    ] = False,
    strict: StrictOption = False,
) -> None:
    """Write the tables of replays to Parquet, CSV or NDJSON files."""
    reading = Reading(files, strict=strict, stream=stream)
    taken: set[str] = set()
    for replay in reading:
        folder = output if len(files) == 1 else output / _folder_name(replay, taken)
        try:
            if table:
                _check_names(replay, table)
            paths = replay.export(folder, format=format.value, tables=table)
            replay.problems  # noqa: B018  (in strict mode this may still raise)
        except (ReplayError, OSError) as error:
            reading.failed(replay.name, error)
            continue
        for path in paths:
            print(path)
        reading.problems(replay)
    reading.finish()


def _check_names(replay: Replay, names: list[str]) -> None:
    for name in names:
        if name not in replay.tables:
            raise typer.BadParameter(
                f"{replay.name} has no table {name!r}; it has {', '.join(replay.tables)}", param_hint="--table"
            )


def _folder_name(replay: Replay, taken: set[str]) -> str:
    """The file's name, made unique where two inputs in different folders share one."""
    name = base = Path(replay.name).name
    number = 1
    while name in taken:
        number += 1
        name = f"{base}-{number}"
    taken.add(name)
    return name
