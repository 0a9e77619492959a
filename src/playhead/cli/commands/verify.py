"""``playhead verify``: a recording checked against itself."""

from __future__ import annotations

from playhead.cli.arguments import Parser
from playhead.cli.inputs.options import add_files, add_json, add_strict
from playhead.cli.inputs.reading import Reading
from playhead.cli.output.standard import print_json, print_out


def add_arguments(parser: Parser) -> None:
    add_files(parser)
    add_json(parser, "Print one JSON object per file.")
    add_strict(parser)


def run(files: list[str], *, as_json: bool, strict: bool) -> None:
    """Read everything and count the format's self-checks.

    Exit status 3 if anything could not be read or a check failed.
    """
    reading = Reading(files, strict=strict, as_json=as_json)
    for replay in reading:
        with reading.guard(replay):
            checks = replay.verify()
            if as_json:
                listed = [{"check": c.name, "passed": c.passed, "failed": c.failed, "doc": c.doc} for c in checks]
                problems = [problem.as_dict() for problem in replay.problems]
                print_json({"file": replay.name, "checks": listed, "problems": problems})
            else:
                print_out(replay.name)
                width = max((len(check.name) for check in checks), default=0)
                if not checks:
                    print_out("  no checks: this format stores nothing twice")
                for check in checks:
                    result = f"{check.failed} failed" if check.failed else "ok" if check.passed else "-"
                    print_out(f"  {check.name:<{width}}  {check.passed:>9}  {result:<10} {check.doc}")
            reading.problems(replay)
    reading.finish()
