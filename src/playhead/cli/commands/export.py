"""``playhead export``: tables as files, in a folder of one replay or a lake of many."""

from __future__ import annotations

from pathlib import Path

from playhead.cli.arguments import Parser, UsageError, bounded
from playhead.cli.export.folders import check_document, export_folders
from playhead.cli.export.lake import LakeSettings, export_lake
from playhead.cli.inputs.options import add_files, add_formulas, add_json, add_strict
from playhead.export.files import FORMATS
from playhead.io.inputs import is_one_file


def add_arguments(parser: Parser) -> None:
    add_files(parser)
    parser.option(
        "-o --output DIR",
        "Folder to write to: DIR/TABLE.FORMAT for one file; a lake (also a URL) for several files, a folder, "
        "pattern, archive or list. Tables of different replays are never mixed.",
        required=True,
    )
    parser.option(
        "--format NAME",
        "File format: parquet, csv, ndjson; xlsx, a workbook with a sheet for each table (extra xlsx); or a form "
        "that the game brings: one file with the whole replay.",
        default="parquet",
    )
    parser.option(
        "--table --tables NAME",
        "Only this table (repeat, or separate by commas). All by default; for a lake all except those that "
        "repeat others as JSON (`all` includes them). Replays without the table are skipped.",
        action="append",
    )
    parser.flag("--stream", "Read front to back in flat memory, for inputs larger than memory.")
    add_strict(parser)
    parser.flag("--folders", "DIR/FILE/TABLE.FORMAT for each of several replays, instead of a lake.")
    add_formulas(parser)
    parser.option(
        "--jobs N",
        "Number of processes; one per core by default. They share the replays of a lake, or one long recording of "
        "Source 2 or teehistorian.",
        type=bounded(int, 1),
    )
    parser.option(
        "--partition-by COLUMNS",
        "New lake: format (the default), game, build, separated by commas. Later exports keep it.",
    )
    parser.option("--max-failed N|N%", "Lake: stop when more inputs than this fail.")
    parser.flag("--retry-failed", "Lake: also read inputs again that hung or crashed before.")
    parser.option("--engine NAME", "Lake: local, or ray (extra ray).", default="local")
    parser.option("--address ADDRESS", "Lake: the cluster, for Ray.")
    parser.option("--timeout SECONDS", "Lake: time limit for one replay.", type=bounded(float, 0.1))
    parser.option("--memory MB", "Lake: memory limit for one replay.", type=bounded(int, 1))
    parser.option(
        "--shard-inputs N", "Lake: greatest number of replays in one file.", type=bounded(int, 1), default=256
    )
    add_json(parser, "Lake: print progress as JSON, a line each.")


def run(
    files: list[str],
    output: str,
    *,
    format: str,
    table: list[str] | None,
    stream: bool,
    strict: bool,
    folders: bool,
    formulas: bool,
    jobs: int | None,
    partition_by: str | None,
    max_failed: str | None,
    retry_failed: bool,
    engine: str,
    address: str | None,
    timeout: float | None,
    memory: int | None,
    shard_inputs: int,
    as_json: bool,
) -> None:
    """Write the tables of replays to Parquet, CSV, NDJSON or Excel files.

    Several replays become a lake: Parquet files by table and format, with manifests. A run adds the replays that
    are not present yet, so it also resumes a killed run. `playhead lake` maintains lakes, `playhead sql` queries
    them.
    """
    if format not in FORMATS:
        check_document(format, tables=table is not None)
    tables = [name for names in table for name in names.split(",")] if table else None
    if _is_for_lake(files, output, format, folders=folders):
        for given, option in ((strict, "--strict"), (stream, "--stream")):
            if given:
                raise UsageError("only for one replay, or with --folders", option)
        settings = LakeSettings(
            tables, jobs, partition_by, max_failed, retry_failed, engine, address, timeout, memory, shard_inputs
        )
        export_lake(files, output, settings, as_json=as_json)
    else:
        export_folders(
            files, Path(output), format, tables, stream=stream, strict=strict, formulas=formulas, jobs=jobs
        )


def _is_for_lake(files: list[str], output: str, format: str, *, folders: bool) -> bool:
    from playhead.corpus import is_lake

    if folders or format != "parquet":
        return False
    return len(files) != 1 or not is_one_file(files[0]) or "://" in output or is_lake(output)
