"""``playhead export``: tables as files, in a folder of one replay or a lake of many."""

from __future__ import annotations

import json
from collections.abc import Mapping
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any

from playhead import Replay, ReplayError
from playhead.cli.arguments import EXIT_FAILED, EXIT_PROBLEMS, Exit, Parser, UsageError, bounded
from playhead.cli.inputs.options import add_files, add_formulas, add_json, add_strict, choose_tables
from playhead.cli.inputs.reading import Reading, print_skipped
from playhead.cli.output.lake_progress import LakeProgress
from playhead.cli.output.standard import binary_output, print_error, print_json, print_note, print_out
from playhead.export.files import FORMATS, write_stream
from playhead.export.folder import other_tables, read_manifest
from playhead.io.inputs import is_one_file
from playhead.registry import vocabulary
from playhead.runtime.heap import return_large_blocks
from playhead.runtime.records import replace
from playhead.runtime.workers import cores
from playhead.text.names import counted, unknown_name

if TYPE_CHECKING:
    from playhead.corpus import WorkerLimits
    from playhead.corpus.writing.export import Report


def add_arguments(parser: Parser) -> None:
    add_files(parser)
    parser.option(
        "-o --output DIR",
        "Folder to write to: DIR/TABLE.FORMAT for one file; a lake (also a URL) for several files, a folder, "
        "pattern, archive or list. Tables of different replays are never mixed. Required, except for arrow.",
    )
    parser.option(
        "--format NAME",
        "File format: parquet, csv, ndjson; xlsx, a workbook with a sheet for each table (extra xlsx); or a form "
        "that the game brings: one file with the whole replay; or arrow, one table as an Arrow IPC stream on "
        "standard output.",
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
        "Number of processes, which share the replays of a lake (one per core by default), or one long recording "
        "of Source 2 or teehistorian. By default one process exports a recording, with a thread per core where "
        "threads read it: a second process takes as much memory again.",
        type=bounded(int, 1),
    )
    parser.option("--max-failed N|N%", "Lake: stop when more inputs than this fail.")
    parser.flag("--retry-failed", "Lake: also read inputs again that hung or crashed before.")
    parser.option("--timeout SECONDS", "Lake: time limit for one replay.", type=bounded(float, 0.1))
    parser.option("--memory MB", "Lake: memory limit for one replay.", type=bounded(int, 1))
    parser.option(
        "--shard-inputs N", "Lake: greatest number of replays in one file.", type=bounded(int, 1), default=256
    )
    add_json(parser, "Lake: print progress as JSON, a line each.")


def run(
    files: list[str],
    output: str | None,
    *,
    format: str,
    table: list[str] | None,
    stream: bool,
    strict: bool,
    folders: bool,
    formulas: bool,
    jobs: int | None,
    max_failed: str | None,
    retry_failed: bool,
    timeout: float | None,
    memory: int | None,
    shard_inputs: int,
    as_json: bool,
) -> None:
    """Write tables as Parquet, CSV, NDJSON, Excel or Arrow.

    Several replays become a lake: a Delta table for each table (extra `lake`). A run adds the replays that
    are not present yet, so it also resumes a killed run. `playhead lake` maintains lakes, `playhead sql` queries
    them.
    """
    tables = [name for names in table for name in names.split(",")] if table else None
    if format == "arrow":
        if output is not None:
            raise UsageError("arrow goes to standard output: leave out -o")
        _print_stream(Reading(files, strict=strict, stream=stream, disk=True), tables or [])
        return
    if output is None:
        raise UsageError("a folder to write to is missing: -o DIR")
    if format not in FORMATS:
        _check_document(format, tables=table is not None)
    if len(files) == 1 and is_one_file(files[0]):
        return_large_blocks()
    if _is_for_lake(files, output, format, folders=folders):
        for given, option in ((strict, "--strict"), (stream, "--stream")):
            if given:
                raise UsageError("only for one replay, or with --folders", option)
        report = _exported(
            files,
            output,
            {"jobs": jobs, "worker_limits": _worker_limits(timeout, memory)},
            {
                "tables": tables,
                "retry": retry_failed,
                "max_failed": max_failed,
                "shard_inputs": shard_inputs,
            },
            as_json=as_json,
        )
        _print_report(report, files, output, tables or [], as_json=as_json)
    else:
        reading = Reading(files, strict=strict, stream=stream, disk=True)
        _export_folders(reading, Path(output), format, tables, formulas=formulas, jobs=jobs)


def _print_stream(reading: Reading, tables: list[str]) -> None:
    """Write one table of one replay to standard output as an Arrow IPC stream, as its rows are read.

    Raises:
        UsageError: there are several replays or tables.
    """
    if reading.several or len(tables) != 1:
        raise UsageError("an Arrow stream has one table of one replay: FILE --table NAME")
    for replay in reading:
        for name in choose_tables(reading, replay, tables):
            try:
                write_stream(binary_output(), replay.batches(name), replay.tables[name].arrow())
                replay.problems  # noqa: B018  (in strict mode this may still raise)
            except (ReplayError, OSError) as error:
                reading.failed(replay.name, error)
                continue
            reading.problems(replay)
    reading.finish()


def _is_for_lake(files: list[str], output: str, format: str, *, folders: bool) -> bool:
    from playhead.corpus import is_lake

    if folders or format != "parquet":
        return False
    return len(files) != 1 or not is_one_file(files[0]) or "://" in output or is_lake(output)


def _worker_limits(timeout: float | None, memory: int | None) -> WorkerLimits:
    """Return the limits of one input of a lake; `timeout` in seconds, `memory` in MiB."""
    from playhead.corpus import WorkerLimits

    limits = WorkerLimits()
    if timeout is not None:
        limits = replace(limits, seconds=timeout, stall_seconds=min(limits.stall_seconds or timeout, timeout))
    return limits if memory is None else replace(limits, memory=memory << 20)


def _exported(
    names: list[str], lake: str, scanned: Mapping[str, Any], options: Mapping[str, Any], *, as_json: bool
) -> Report:
    """Export into a lake: `scanned` are options of `playhead.scan`, `options` those of `Corpus.export`.

    Raises:
        UsageError: an option is wrong.
        Exit: it failed.
    """
    from playhead.corpus import TooManyFailures, scan

    shown = LakeProgress(json=as_json)
    try:
        return scan(names, **scanned).export(lake, on_progress=shown.update, **options)
    except ValueError as error:
        raise UsageError(str(error)) from None
    except (TooManyFailures, OSError, ModuleNotFoundError) as error:
        shown.stop()
        print_error(str(error))
        raise Exit(EXIT_FAILED) from None
    finally:
        shown.stop()


def _print_report(report: Report, names: list[str], lake: str, tables: list[str], *, as_json: bool) -> None:
    """Print the result of an export into a lake.

    Raises:
        Exit: something failed or had problems.
    """
    progress = report.progress
    if as_json:
        print_json({"event": "done", "copies": report.copies, "skipped": report.skipped, **progress.as_dict()})
    else:
        print_out(f"{report.location}: {_summary(report)}")
    print_skipped(report.skipped)
    for name in _lacking(report, tables):
        print_note(f"none of these replays has a table {name}")
    if progress.problems:
        print_note(f"{counted(progress.problems, 'problem')}; playhead lake problems {lake} lists them")
    if not progress.total + progress.held:
        print_error(f"no replay in {', '.join(names)}")
        raise Exit(EXIT_FAILED)
    if progress.failed:
        raise Exit(EXIT_FAILED)
    if progress.problems:
        raise Exit(EXIT_PROBLEMS)


def _summary(report: Report) -> str:
    progress = report.progress
    text = f"{counted(progress.done - progress.failed, 'replay')} added"
    text += f", {progress.failed} failed" if progress.failed else ""
    text += f", {progress.held} already present" if progress.held else ""
    return text + (f", {counted(report.copies, 'duplicate')} skipped" if report.copies else "")


def _lacking(report: Report, tables: list[str]) -> list[str]:
    """Return the requested tables that no replay has."""
    if report.progress.done == report.progress.failed:
        return []
    held = {table for rows in report.rows["rows"].to_pylist() for table in json.loads(rows)}
    return [name for name in tables if name not in held and name != "all"]


def _check_document(format: str, *, tables: bool) -> None:
    """Check the name of an export form that is not one of `FORMATS`.

    Raises:
        UsageError: no game has it, or tables are chosen too.
    """
    known = vocabulary()
    if known.is_whole and format not in known.documents:
        raise UsageError(unknown_name(format, (*FORMATS, "arrow", *known.documents), "export format"), "--format")
    if tables:
        raise UsageError(f"{format} is one file with the whole replay", "--table")


def _export_folders(
    reading: Reading, output: Path, format: str, tables: list[str] | None, *, formulas: bool, jobs: int | None
) -> None:
    """Write one replay into `output`, or each of several into a folder in it."""
    if reading.several and read_manifest(output) is not None:
        raise UsageError(f"{output} holds the tables of a replay: choose another folder", "-o")
    taken: set[Path] = set()
    for replay in reading:
        chosen = choose_tables(reading, replay, tables) if tables else None
        if chosen == []:
            continue
        if format not in FORMATS and format not in replay.documents:
            reading.lacks(replay, f"has no export format {format!r}", all_of_it=True)
            continue
        try:
            folder = _folder(replay, output, taken) if reading.several else output
            shared = jobs or (cores() if replay.jobs_are_threads else 1)
            paths = replay.export(folder, format=format, tables=chosen, formulas=formulas, jobs=shared)
            replay.problems  # noqa: B018  (in strict mode this may still raise)
        except (ReplayError, OSError, MemoryError) as error:
            # An error of the output names its file; any other is the replay's.
            about = error.filename if isinstance(error, OSError) else None
            reading.failed(replay.name if about is None else str(about), error)
            continue
        for path in paths:
            print_out(path)
        reading.problems(replay)
    reading.finish()


def _folder(replay: Replay, output: Path, taken: set[Path]) -> Path:
    """Return a folder in `output` named as the file, with a number if another replay has that name."""
    base = Path(replay.name).name
    for number in count(1):
        folder = output / (base if number == 1 else f"{base}-{number}")
        if folder not in taken and other_tables(folder, replay, FORMATS) is None:
            taken.add(folder)
            return folder
    raise AssertionError
