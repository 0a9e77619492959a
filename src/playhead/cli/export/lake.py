"""`playhead export` into a lake."""

from __future__ import annotations

import json
from typing import Any

from playhead.cli.arguments import EXIT_FAILED, EXIT_PROBLEMS, Exit, UsageError
from playhead.cli.inputs.reading import print_skipped
from playhead.cli.output.lake_progress import LakeProgress
from playhead.cli.output.standard import counted, print_error, print_json, print_note, print_out
from playhead.corpus.export import Report
from playhead.runtime.records import dataclass, replace


@dataclass(frozen=True, slots=True)
class LakeSettings:
    """The options of an export that apply to a lake; `timeout` in seconds, `memory` in MiB."""

    tables: list[str] | None
    jobs: int | None
    partition_by: str | None
    max_failed: str | None
    retry: bool
    engine: str
    address: str | None
    timeout: float | None
    memory: int | None
    shard_inputs: int

    def worker_limits(self) -> Any:
        """Return the limits of one input."""
        from playhead.corpus import WorkerLimits

        limits = WorkerLimits()
        if self.timeout is not None:
            stall = min(limits.stall_seconds or self.timeout, self.timeout)
            limits = replace(limits, seconds=self.timeout, stall_seconds=stall)
        return limits if self.memory is None else replace(limits, memory=self.memory << 20)


def export_lake(names: list[str], lake: str, settings: LakeSettings, *, as_json: bool) -> None:
    """Export into a lake and print the result.

    Raises:
        UsageError: an option is wrong.
        Exit: something failed or had problems.
    """
    report = _export(names, lake, settings, as_json=as_json)
    progress = report.progress
    if as_json:
        print_json({"event": "done", "copies": report.copies, "skipped": report.skipped, **progress.as_dict()})
    else:
        print_out(f"{report.location}: {_summary(report)}")
    print_skipped(report.skipped)
    for name in _lacking(report, settings.tables or []):
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


def _export(names: list[str], lake: str, settings: LakeSettings, *, as_json: bool) -> Report:
    from playhead.corpus import TooManyFailures, scan

    corpus = scan(names, jobs=settings.jobs, worker_limits=settings.worker_limits())
    options: dict[str, Any] = {"address": settings.address} if settings.address is not None else {}
    shown = LakeProgress(json=as_json)
    try:
        return corpus.export(
            lake,
            tables=settings.tables,
            engine=settings.engine,
            partition_by=settings.partition_by,
            retry=settings.retry,
            max_failed=settings.max_failed,
            on_progress=shown.update,
            shard_inputs=settings.shard_inputs,
            **options,
        )
    except ValueError as error:
        raise UsageError(str(error)) from None
    except (TooManyFailures, OSError, ModuleNotFoundError) as error:
        shown.stop()
        print_error(str(error))
        raise Exit(EXIT_FAILED) from None
    finally:
        shown.stop()


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
    held = {table for schemas in report.rows["schemas"].to_pylist() for table in json.loads(schemas)}
    return [name for name in tables if name not in held and name != "all"]
