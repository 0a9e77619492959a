"""``playhead verify``: a recording held against itself."""

from __future__ import annotations

from typing import Annotated

import typer

from playhead import ReplayError
from playhead.cli.inputs.reading import FilesArgument, Reading, StrictOption
from playhead.cli.output.standard import print_out
from playhead.text.json import to_json


def verify(
    files: FilesArgument,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object a file, a line each.")] = False,
    strict: StrictOption = False,
) -> None:
    """Read everything and run the format's self-checks: how often each held, and what is wrong.

    Exit status 3 if anything could not be read or a check failed.
    """
    reading = Reading(files, strict=strict)
    for replay in reading:
        try:
            checks = replay.verify()
        except ReplayError as error:
            reading.failed(replay.name, error)
            continue
        if as_json:
            listed = [{"check": c.name, "passed": c.passed, "failed": c.failed, "doc": c.doc} for c in checks]
            problems = [problem.as_dict() for problem in replay.problems]
            print_out(to_json({"file": replay.name, "checks": listed, "problems": problems}))
        else:
            print_out(replay.name)
            width = max((len(check.name) for check in checks), default=0)
            if not checks:
                print_out("  no checks: its format says nothing twice")
            for check in checks:
                failed = f"{check.failed} failed" if check.failed else "ok"
                print_out(f"  {check.name:<{width}}  {check.passed:>9}  {failed:<10} {check.doc}")
        reading.problems(replay)
    reading.finish()
