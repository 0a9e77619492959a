"""``playhead slice``: a part of a recording as a recording of its own."""

from __future__ import annotations

from pathlib import Path

from playhead import ReplayError
from playhead.cli.arguments import Parser, UsageError
from playhead.cli.inputs.options import add_file, add_force, add_output, add_strict, check_free
from playhead.cli.inputs.reading import Reading
from playhead.cli.output.standard import print_out


def add_arguments(parser: Parser) -> None:
    add_file(parser)
    parser.option(
        "--from TIME",
        "First tick: 14:03 or 1:14:03 as the game shows it, 843s (seconds), or 42150t (ticks).",
        dest="start",
        required=True,
    )
    parser.option("--to TIME", "Last tick, in the same notation.", dest="end", required=True)
    add_output(parser)
    add_force(parser)
    add_strict(parser)


def run(file: str, *, start: str, end: str, output: Path, force: bool, strict: bool) -> None:
    """Write a part of a Source 2 or teehistorian recording as a valid recording: same ticks, same state."""
    reading = Reading([file], strict=strict, stream=True, one_each=True)
    for replay in reading:
        if not reading.can(replay, "slice"):
            continue
        try:
            check_free(output, force)
            replay.write_slice(output, start, end)
        except (ReplayError, OSError, MemoryError) as error:
            reading.failed(replay.name, error)
            continue
        except ValueError as error:
            raise UsageError(str(error), "--from/--to") from None
        print_out(output)
        reading.problems_so_far(replay)
    reading.finish()
