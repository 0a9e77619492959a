"""``playhead report``: a match as one HTML file."""

from __future__ import annotations

from pathlib import Path

import playhead
from playhead import Replay, ReplayError
from playhead.cli.arguments import Parser, UsageError
from playhead.cli.inputs.options import (
    add_against,
    add_drawn_map,
    add_file,
    add_force,
    add_output,
    add_span,
    add_strict,
    check_another,
    check_free,
    map_file,
    span_checked,
    span_of,
)
from playhead.cli.inputs.reading import Reading
from playhead.cli.output.standard import print_note, print_out


def add_arguments(parser: Parser) -> None:
    add_file(parser)
    add_output(parser)
    add_force(parser)
    add_strict(parser)
    add_drawn_map(parser)
    add_against(parser)
    add_span(parser, "a clip")


def run(
    file: str,
    *,
    output: Path,
    force: bool,
    strict: bool,
    map: Path | None,
    map_bounds: str | None,
    game_files: bool,
    against: Path | None,
    start: str | None,
    end: str | None,
    round_num: int | None,
) -> None:
    """Write a match as one HTML file that opens from disk.

    It is the page of `playhead view` with the match in it.

    With `--from` and `--to`, the file has that part of the match only.

    A report of StarCraft II has tables for coaches: `reasons`, why a player lost, and `measures`. With `--against`
    it opens on the comparison, and has `steps`, the build orders side by side.
    """
    from playhead.view import write_report

    drawn_on = map_file(map, map_bounds, game_files)
    reading = Reading([file], strict=strict, one_each=True)
    other = None if against is None else _opened(against)
    for replay in reading:
        try:
            with reading.guard(replay, OSError), span_checked():
                if other is not None and (replay.presentation.coach is None or other.format != replay.format):
                    reading.lacks(replay, f"cannot be compared with {other.name}", all_of_it=True)
                    continue
                if not check_another(reading, replay, other):
                    continue
                ticks = None
                first, last = span_of(replay, start, end, round_num)
                if first is not None or last is not None:
                    ticks = (
                        replay.first_tick if first is None else replay.tick_within(first),
                        replay.info.duration_ticks or 0 if last is None else replay.tick_within(last),
                    )
                check_free(output, force)
                size = write_report(replay, output, drawn_on, other, ticks, print_note)
                print_out(f"{output}: {size / 1e6:.2f} MB")
                reading.problems_so_far(replay)
        except NotImplementedError as error:
            reading.lacks(replay, str(error), all_of_it=True)
    reading.finish()


def _opened(path: Path) -> Replay:
    """Return the replay that `--against` names."""
    try:
        return playhead.open(path)
    except ReplayError as error:
        raise UsageError(str(error), "--against") from None
