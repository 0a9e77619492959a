"""``playhead export``: tables to files."""

from __future__ import annotations

from enum import StrEnum
from itertools import count
from pathlib import Path
from typing import Annotated

import typer

from playhead import Replay, ReplayError
from playhead.cli.completion import complete_tables
from playhead.cli.known_words import choose_tables
from playhead.cli.reading import FilesArgument, Reading, StrictOption
from playhead.export.files import FORMATS
from playhead.export.folder import other_tables, read_manifest


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
            help="Folder to write to: DIR/TABLE.FORMAT of one file; DIR/FILE/TABLE.FORMAT of several, a folder, a "
            "pattern or a list. Tables of another replay that are there are never mixed with.",
        ),
    ],
    format: Annotated[FileFormat, typer.Option("--format", help="File format.")] = FileFormat.parquet,
    table: Annotated[
        list[str] | None,
        typer.Option(
            "--table",
            help="Only this table (repeat for several); all by default. A replay without it is passed over.",
            autocompletion=complete_tables,
        ),
    ] = None,
    stream: Annotated[
        bool,
        typer.Option("--stream", help="Read front to back in flat memory, for inputs larger than memory."),
    ] = False,
    strict: StrictOption = False,
) -> None:
    """Write the tables of replays to Parquet, CSV or NDJSON files."""
    reading = Reading(files, strict=strict, stream=stream)
    if reading.several and read_manifest(output) is not None:
        raise typer.BadParameter(f"{output} holds the tables of a replay: choose another folder", param_hint="-o")
    taken: set[Path] = set()
    for replay in reading:
        chosen = choose_tables(reading, replay, table) if table else None
        if chosen == []:
            continue
        try:
            folder = _folder(replay, output, taken) if reading.several else output
            paths = replay.export(folder, format=format.value, tables=chosen)
            replay.problems  # noqa: B018  (in strict mode this may still raise)
        except (ReplayError, OSError) as error:
            # What could not be written is the output's fault, not the replay's.
            about = error.filename if isinstance(error, OSError) else None
            reading.failed(replay.name if about is None else str(about), error)
            continue
        for path in paths:
            print(path)
        reading.problems(replay)
    reading.finish()


def _folder(replay: Replay, output: Path, taken: set[Path]) -> Path:
    """Return a folder in `output` with the file's name, or that and a number if that one is another replay's."""
    base = Path(replay.name).name
    for number in count(1):
        folder = output / (base if number == 1 else f"{base}-{number}")
        if folder not in taken and other_tables(folder, replay, FORMATS) is None:
            taken.add(folder)
            return folder
    raise AssertionError
