"""Replays into a lake, as `playhead export` does it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import typer

from playhead.cli.inputs.reading import EXIT_PROBLEMS, EXIT_UNREADABLE
from playhead.cli.output.lake_progress import LakeProgress
from playhead.cli.output.standard import counted, print_err, print_out
from playhead.runtime.records import dataclass, replace
from playhead.text.json import to_json

if TYPE_CHECKING:
    from playhead.corpus.export import Report


@dataclass(frozen=True, slots=True)
class LakeSettings:
    """The options of an export that a lake has; `timeout` in seconds, `memory` in MiB."""

    tables: list[str] | None
    jobs: int | None
    partition_by: str | None
    max_failed: str | None
    retry: bool
    engine: str
    address: str | None
    timeout: float | None
    memory: int | None

    def worker_limits(self) -> Any:
        """Return what one input may take."""
        from playhead.corpus import WorkerLimits

        limits = WorkerLimits()
        if self.timeout is not None:
            stall = min(limits.stall_seconds or self.timeout, self.timeout)
            limits = replace(limits, seconds=self.timeout, stall_seconds=stall)
        return limits if self.memory is None else replace(limits, memory=self.memory << 20)


def export_lake(names: list[str], lake: str, settings: LakeSettings, *, shard_inputs: int, as_json: bool) -> None:
    """Export into a lake, print how it went and exit with the status for that.

    Raises:
        typer.BadParameter: an option is wrong.
        typer.Exit: something could not be read or written, or there were problems.
    """
    from playhead.corpus import TooManyFailures, scan

    corpus = scan(names, jobs=settings.jobs, worker_limits=settings.worker_limits())
    options: dict[str, Any] = {"address": settings.address} if settings.address is not None else {}
    shown = LakeProgress(json=as_json)
    try:
        report = corpus.export(
            lake,
            tables=settings.tables,
            engine=settings.engine,
            partition_by=settings.partition_by,
            retry=settings.retry,
            max_failed=settings.max_failed,
            on_progress=shown.update,
            shard_inputs=shard_inputs,
            **options,
        )
    except ValueError as error:
        shown.stop()
        raise typer.BadParameter(str(error)) from None
    except (TooManyFailures, OSError, ModuleNotFoundError) as error:
        shown.stop()
        print_err(f"playhead: error: {error}")
        raise typer.Exit(EXIT_UNREADABLE) from None
    finally:
        shown.stop()
    progress = report.progress
    if as_json:
        print_out(
            to_json({"event": "done", "copies": report.copies, "skipped": report.skipped, **progress.as_dict()})
        )
    else:
        print_out(f"{report.location}: {_summary(report)}")
    if report.skipped:
        files = "1 file that is" if report.skipped == 1 else f"{report.skipped} files that are"
        print_err(f"playhead: note: passed over {files} no replay")
    for name in _lacking(report, settings.tables or []):
        print_err(f"playhead: note: none of these replays has a table {name}")
    if progress.problems:
        print_err(
            f"playhead: note: {counted(progress.problems, 'problem')}; playhead lake problems {lake} lists them"
        )
    if not progress.total + progress.held:
        print_err(f"playhead: error: no replay in {', '.join(names)}")
        raise typer.Exit(EXIT_UNREADABLE)
    if progress.failed:
        raise typer.Exit(EXIT_UNREADABLE)
    if progress.problems:
        raise typer.Exit(EXIT_PROBLEMS)


def _summary(report: Report) -> str:
    progress = report.progress
    text = f"{counted(progress.done - progress.failed, 'replay')} added"
    text += f", {progress.failed} could not be read" if progress.failed else ""
    text += f", {progress.held} were there" if progress.held else ""
    return text + (f", {counted(report.copies, 'copy', 'copies')} left out" if report.copies else "")


def _lacking(report: Report, tables: list[str]) -> list[str]:
    """The tables that were asked for and that no replay of those that were read has."""
    if report.progress.done == report.progress.failed:
        return []
    held = {table for schemas in report.rows["schemas"].to_pylist() for table in json.loads(schemas)}
    return [name for name in tables if name not in held and name != "all"]
