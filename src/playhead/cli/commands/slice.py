"""``playhead slice``: a part of a recording as a recording of its own."""

from __future__ import annotations

from pathlib import Path

from playhead.cli.arguments import Parser, UsageError
from playhead.cli.inputs.options import (
    add_file,
    add_force,
    add_output,
    add_span,
    add_strict,
    check_free,
    span_checked,
    span_of,
)
from playhead.cli.inputs.reading import Reading
from playhead.cli.output.standard import print_out


def add_arguments(parser: Parser) -> None:
    add_file(parser)
    add_span(parser, "the part")
    add_output(parser)
    add_force(parser)
    add_strict(parser)


def run(
    file: str,
    *,
    start: str | None,
    end: str | None,
    round_num: int | None,
    output: Path,
    force: bool,
    strict: bool,
) -> None:
    """Cut a part out of a recording (Source 2, teehistorian).

    The part is a valid recording: same ticks, same state."""
    if round_num is None and (start is None or end is None):
        raise UsageError("give --from and --to, or --round")
    by_round = round_num is not None or any(each is not None and each[:1] in "Rr" for each in (start, end))
    reading = Reading([file], strict=strict, stream=not by_round, one_each=True)
    for replay in reading:
        if not reading.can(replay, "slice"):
            continue
        with reading.guard(replay, OSError), span_checked():
            check_free(output, force)
            first, last = span_of(replay, start, end, round_num) if by_round else (start, end)
            assert first is not None
            assert last is not None
            replay.write_slice(output, first, last)
            print_out(output)
            reading.problems_so_far(replay)
    reading.finish()
