"""``playhead report``: a match as one HTML file."""

from __future__ import annotations

from pathlib import Path

import playhead
from playhead import Replay, ReplayError
from playhead.cli.arguments import Parser, UsageError
from playhead.cli.inputs.options import add_against, add_file, add_map, add_output, add_strict, map_file
from playhead.cli.inputs.reading import Reading
from playhead.cli.output.standard import print_out


def add_arguments(parser: Parser) -> None:
    add_file(parser)
    add_output(parser)
    add_strict(parser)
    add_map(parser)
    add_against(parser)


def run(
    file: str, *, output: Path, strict: bool, map: Path | None, map_bounds: str | None, against: Path | None
) -> None:
    """Write a match as one HTML file that opens from disk: the page of `playhead view` with the match in it.

    A report of StarCraft II has tables for coaches: `measures` of each player and, with `--against`, `steps`, the
    build orders side by side.
    """
    from playhead.view import write_report

    drawn_on = map_file(map, map_bounds)
    reading = Reading([file], strict=strict, one_each=True)
    other = None if against is None else _opened(against)
    for replay in reading:
        try:
            if other is not None and (replay.presentation.coach is None or other.format != replay.format):
                reading.lacks(replay, f"cannot be compared with {other.name}", all_of_it=True)
                continue
            size = write_report(replay, output, drawn_on, other)
        except ReplayError as error:
            reading.failed(replay.name, error)
            continue
        print_out(f"{output}: {size / 1e6:.2f} MB")
        reading.problems_so_far(replay)
    reading.finish()


def _opened(path: Path) -> Replay:
    """Return the replay that `--against` names."""
    try:
        return playhead.open(path)
    except ReplayError as error:
        raise UsageError(str(error), "--against") from None
