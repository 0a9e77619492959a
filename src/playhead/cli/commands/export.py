"""``playhead export``: tables to files, of one replay or into a lake of many."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from playhead.cli.completion import complete_tables
from playhead.cli.export.folders import export_folders
from playhead.cli.export.lake import LakeSettings, export_lake
from playhead.cli.inputs.reading import FilesArgument, FormulasOption, StrictOption
from playhead.io.inputs import is_one_file


class FileFormat(StrEnum):
    """File formats that tables can be written in."""

    parquet = "parquet"
    csv = "csv"
    ndjson = "ndjson"


def export(
    files: FilesArgument,
    output: Annotated[
        str,
        typer.Option(
            "-o",
            "--output",
            metavar="DIR",
            help="Folder to write to: DIR/TABLE.FORMAT of one file; of several, a folder, a pattern, a pack or a "
            "list a lake, which may be a URL. Tables of another replay that are there are never mixed with.",
        ),
    ],
    format: Annotated[FileFormat, typer.Option("--format", help="File format.")] = FileFormat.parquet,
    table: Annotated[
        list[str] | None,
        typer.Option(
            "--table",
            "--tables",
            help="Only this table (repeat, or separate by commas); all by default, of a lake all but those that "
            "repeat others as JSON (`all` is those too). A replay without it is passed over.",
            autocompletion=complete_tables,
        ),
    ] = None,
    stream: Annotated[
        bool,
        typer.Option("--stream", help="Read front to back in flat memory, for inputs larger than memory."),
    ] = False,
    strict: StrictOption = False,
    folders: Annotated[
        bool,
        typer.Option("--folders", help="DIR/FILE/TABLE.FORMAT for each of several replays, instead of a lake."),
    ] = False,
    formulas: FormulasOption = True,
    jobs: Annotated[
        int | None, typer.Option("--jobs", metavar="N", min=1, help="Lake: processes; one a core by default.")
    ] = None,
    partition_by: Annotated[
        str | None,
        typer.Option(
            "--partition-by",
            metavar="COLUMNS",
            help="New lake: format (the default), game, build, with commas. It stays divided like that.",
        ),
    ] = None,
    max_failed: Annotated[
        str | None,
        typer.Option("--max-failed", metavar="N|N%", help="Lake: stop when more inputs than this fail."),
    ] = None,
    retry: Annotated[
        bool, typer.Option("--retry-failed", help="Lake: read again what hung or crashed before, too.")
    ] = False,
    engine: Annotated[str, typer.Option("--engine", help="Lake: local, or ray (extra ray).")] = "local",
    address: Annotated[str | None, typer.Option("--address", help="Lake: the cluster, for Ray.")] = None,
    timeout: Annotated[
        float | None,
        typer.Option("--timeout", metavar="SECONDS", min=0.1, help="Lake: most time for one replay."),
    ] = None,
    memory: Annotated[
        int | None, typer.Option("--memory", metavar="MB", min=1, help="Lake: most memory for one replay.")
    ] = None,
    shard_inputs: Annotated[
        int, typer.Option("--shard-inputs", metavar="N", min=1, help="Lake: most replays written together.")
    ] = 256,
    as_json: Annotated[bool, typer.Option("--json", help="Lake: progress as JSON, a line each.")] = False,
) -> None:
    """Write the tables of replays to Parquet, CSV or NDJSON files.

    Of several replays a lake: Parquet by table and format, with manifests. A run that was killed is taken up by
    the next, which adds what is not there yet; `playhead lake` looks after it, `playhead sql` queries it.
    """
    table = [name for names in table for name in names.split(",")] if table else None
    if _is_for_lake(files, output, format, folders=folders):
        for given, option in ((strict, "--strict"), (stream, "--stream")):
            if given:
                raise typer.BadParameter("only for one replay, or with --folders", param_hint=option)
        settings = LakeSettings(table, jobs, partition_by, max_failed, retry, engine, address, timeout, memory)
        export_lake(files, output, settings, shard_inputs=shard_inputs, as_json=as_json)
    else:
        export_folders(files, Path(output), format.value, table, stream=stream, strict=strict, formulas=formulas)


def _is_for_lake(files: list[str], output: str, format: FileFormat, *, folders: bool) -> bool:
    from playhead.corpus import is_lake

    if folders or format is not FileFormat.parquet:
        return False
    return len(files) != 1 or not is_one_file(files[0]) or "://" in output or is_lake(output)
