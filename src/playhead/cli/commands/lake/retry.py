"""``playhead lake retry``: another attempt at the inputs that failed."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

from playhead.cli.arguments import EXIT_FAILED, Exit, Parser, bounded
from playhead.cli.commands.lake import add_lake, lake_errors
from playhead.cli.inputs.options import add_json
from playhead.cli.output.lake_progress import LakeProgress
from playhead.cli.output.standard import print_error, print_json, print_out
from playhead.corpus.facts import name_of_file
from playhead.io.packs import is_url, split_member


def add_arguments(parser: Parser) -> None:
    add_lake(parser)
    parser.option("--jobs N", "Number of processes; one per core by default.", type=bounded(int, 1))
    add_json(parser, "Print progress as JSON, a line each.")


def run(lake: str, *, jobs: int | None, as_json: bool) -> None:
    """Read the inputs again that failed, hung or crashed."""
    from playhead.corpus import open_lake
    from playhead.corpus.writing.commits import LOST

    with lake_errors():
        rows = [row for row in open_lake(lake).inputs.to_pylist() if row["status"] != "whole"]
        again: dict[str, list[str]] = {}
        for row in rows:
            if row["error"] is not None or row["reason"] == LOST:
                again.setdefault(row["wanted"], []).extend(_names_to_try(row))
        if not again:
            print_out("nothing to retry")
            return
        failed = _read_again(lake, again, jobs=jobs, as_json=as_json)
    if failed:
        raise Exit(EXIT_FAILED)


def _read_again(lake: str, again: Mapping[str, Sequence[str]], *, jobs: int | None, as_json: bool) -> int:
    """Export inputs, given by the tables that were wanted of them, and print the result; return the failures."""
    from playhead.corpus import scan

    failed = sum(_print_if_missing(name) for names in again.values() for name in names)
    there = {wanted: kept for wanted, names in again.items() if (kept := [*filter(_may_exist, names)])}
    for wanted, names in there.items():
        shown = LakeProgress(json=as_json)
        try:
            report = scan(names).export(
                lake, tables=wanted.split(",") if wanted else None, jobs=jobs, retry=True, on_progress=shown.update
            )
        finally:
            shown.stop()
        progress = report.progress
        failed += progress.failed
        if as_json:
            print_json({"event": "done", **progress.as_dict()})
        else:
            print_out(f"{progress.done - progress.failed} of {progress.done} read")
    return failed


def _print_if_missing(name: str) -> bool:
    if _may_exist(name):
        return False
    hint = "" if os.path.isabs(name) else f" (in {os.getcwd()}; was it exported from another folder?)"
    print_error(f"{name}: there is no such file{hint}")
    return True


def _names_to_try(row: Mapping[str, Any]) -> list[str]:
    """Return the name of an input; if there is no such file any more, its copies."""
    name = name_of_file(row)
    return [name] if _may_exist(name) else [each for each in row["copies"] if _may_exist(each)] or [name]


def _may_exist(name: str) -> bool:
    """Return whether an input may still exist; a URL may."""
    member = split_member(name)
    return is_url(name) or os.path.lexists(name if member is None else member[0])
