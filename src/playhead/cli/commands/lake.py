"""``playhead lake``: what a lake holds, what could not be read, and its upkeep."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated, Any

import typer

from playhead.cli.inputs.reading import EXIT_UNREADABLE
from playhead.cli.output.lake_progress import LakeProgress
from playhead.cli.output.standard import counted, print_err, print_out
from playhead.cli.output.tables import print_columns
from playhead.io.packs import split_member
from playhead.text.json import to_json

lake = typer.Typer(
    name="lake",
    help="Look after a lake: the tables of many replays, as `playhead export` writes them.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)

LakeArgument = Annotated[str, typer.Argument(metavar="LAKE", help="Folder or URL of the lake.")]
JsonOption = Annotated[bool, typer.Option("--json", help="JSON, a line each.")]


@contextmanager
def _errors() -> Iterator[None]:
    try:
        yield
    except (OSError, ValueError, ModuleNotFoundError) as error:
        print_err(f"playhead: error: {error}")
        raise typer.Exit(EXIT_UNREADABLE) from None


@lake.command()
def status(lake: LakeArgument, as_json: JsonOption = False) -> None:
    """Show how many replays there are, how reading them went, and the rows of each table."""
    from playhead.corpus import open_lake

    with _errors():
        opened = open_lake(lake)
        counts = opened.status()
        rows: dict[str, list[int]] = {name: [0, 0, 0] for name in opened.tables}
        for piece in opened.pieces():
            held = rows[piece.file.table]
            held[0] += piece.file.rows
            held[1] += 1
            held[2] += piece.file.size
    tables = {name: {"rows": held[0], "files": held[1], "bytes": held[2]} for name, held in rows.items()}
    if as_json:
        print_out(to_json({"lake": opened.location, **counts, "tables": tables}))
        return
    good = counts["whole"] + counts["partial"]
    copies = f"; {counted(counts['copies'], 'other name')} of the same" if counts["copies"] else ""
    print_out(f"{counted(good, 'replay')}, {counts['partial']} of them with problems{copies}")
    print_out(f"{counts['failed']} could not be read, {counts['quarantined']} hung or crashed")
    lines = [["table", "rows", "files", "MB"]]
    lines += [
        [name, f"{held['rows']:,}", str(held["files"]), f"{held['bytes'] / 1e6:.1f}"]
        for name, held in tables.items()
    ]
    print_columns(lines)


@lake.command()
def problems(lake: LakeArgument, as_json: JsonOption = False) -> None:
    """List what could not be read, or not wholly: why, and what to look at."""
    from playhead.corpus import open_lake

    with _errors():
        rows = open_lake(lake).problems().to_pylist()
    for row in rows:
        if as_json:
            print_out(to_json({name: value for name, value in row.items() if value not in (None, [])}))
            continue
        print_out(f"{row['status']}: {_problem(row)}")
        for line in row["problems"]:
            print_out(f"    {line}")
        if row["problem_count"] > len(row["problems"]):
            print_out(f"    and {row['problem_count'] - len(row['problems'])} more")


def _problem(row: dict[str, Any]) -> str:
    if row["error"] is None:
        return f"{row['file']}: {counted(row['problem_count'], 'problem')}"
    facts = [row["reason"]]
    facts += [row["signal"]] if row["signal"] else []
    facts += [f"{row['attempts']} attempts"] if row["attempts"] > 1 else []
    facts += [f"{row['peak_memory'] >> 20} MiB"] if row["peak_memory"] and row["status"] == "quarantined" else []
    text = row["error"] if row["file"] in row["error"] else f"{row['file']}: {row['error']}"
    return f"{text} ({', '.join(facts)})"


@lake.command()
def retry(
    lake: LakeArgument,
    jobs: Annotated[int | None, typer.Option("--jobs", metavar="N", min=1, help="Processes.")] = None,
    as_json: JsonOption = False,
) -> None:
    """Read again what could not be read, what hung and what crashed."""
    from playhead.corpus import open_lake, scan

    with _errors():
        rows = open_lake(lake).problems().to_pylist()
        again: dict[str, list[str]] = {}
        for row in rows:
            if row["error"] is not None:
                name = row["file"] if row["file_bytes"] is None else os.fsdecode(row["file_bytes"])
                again.setdefault(row["wanted"], []).append(name)
        if not again:
            print_out("nothing to read again")
            return
        failed = sum(_print_if_gone(name) for names in again.values() for name in names)
        again = {wanted: kept for wanted, names in again.items() if (kept := [*filter(_is_there, names)])}
        for wanted, names in again.items():
            shown = LakeProgress(json=as_json)
            try:
                report = scan(names).export(
                    lake,
                    tables=wanted.split(",") if wanted else None,
                    jobs=jobs,
                    retry=True,
                    on_progress=shown.update,
                )
            finally:
                shown.stop()
            failed += report.progress.failed
            if as_json:
                print_out(to_json({"event": "done", **report.progress.as_dict()}))
            else:
                print_out(f"{report.progress.done - report.progress.failed} of {report.progress.done} read now")
    if failed:
        raise typer.Exit(EXIT_UNREADABLE)


def _is_there(name: str) -> bool:
    """Whether what was read may be there still; what is behind a URL is."""
    member = split_member(name)
    return "://" in name or os.path.lexists(name if member is None else member[0])


def _print_if_gone(name: str) -> bool:
    if _is_there(name):
        return False
    where = (
        "" if os.path.isabs(name) else f" (in {os.getcwd()}; it was exported by that name from another folder?)"
    )
    print_err(f"playhead: error: {name}: there is no such file{where}")
    return True


@lake.command()
def compact(
    lake: LakeArgument,
    target: Annotated[int, typer.Option("--size", metavar="MB", min=1, help="Size of a data file.")] = 128,
    keep: Annotated[
        float,
        typer.Option("--keep", metavar="SECONDS", min=0, help="Leave files that were replaced alone for so long."),
    ] = 3600.0,
) -> None:
    """Put small files together, and remove those that were replaced or left by runs that were killed."""
    from playhead.corpus import compact as compact_lake

    with _errors():
        done = compact_lake(lake, target=target << 20, keep=keep)
    print_out(f"{done.files_before} data files are {done.files_after} now; {done.removed} files removed")
