"""``playhead report``: a match as one HTML file."""

from __future__ import annotations

from pathlib import Path

from playhead import ReplayError
from playhead.cli.arguments import Parser
from playhead.cli.inputs.options import add_file, add_map, add_output, add_strict, map_file
from playhead.cli.inputs.reading import Reading
from playhead.cli.output.standard import print_out


def add_arguments(parser: Parser) -> None:
    """Declare the options and arguments."""
    add_file(parser)
    add_output(parser)
    add_strict(parser)
    add_map(parser)


def run(file: str, *, output: Path, strict: bool, map: Path | None, map_bounds: str | None) -> None:
    """Write a match as one HTML file that opens from disk: the page of `playhead view` with the match in it."""
    from playhead.view import write_report

    drawn_on = map_file(map, map_bounds)
    reading = Reading([file], strict=strict, one_each=True)
    for replay in reading:
        try:
            size = write_report(replay, output, drawn_on)
        except ReplayError as error:
            reading.failed(replay.name, error)
            continue
        print_out(f"{output}: {size / 1e6:.2f} MB")
        reading.problems_so_far(replay)
    reading.finish()
