"""``playhead at``: what there is at a moment of a replay."""

from __future__ import annotations

from typing import Annotated

import typer

from playhead import Replay, ReplayError
from playhead.cli.reading import FileArgument, Reading, StrictOption, require
from playhead.cli.table_view import print_rows, shown_value
from playhead.clock import format_seconds
from playhead.json_text import to_json
from playhead.model import Moment


def at(
    file: FileArgument,
    when: Annotated[
        str,
        typer.Argument(
            metavar="TIME",
            help="12:30, 1:12:30 or -0:45 as the game shows it, 750s (seconds), or 22500t (ticks, loops).",
        ),
    ],
    as_json: Annotated[bool, typer.Option("--json", help="All of it as one JSON object.")] = False,
    strict: StrictOption = False,
) -> None:
    """Show what there is at a moment: who is where and has what."""
    reading = Reading([file], strict=strict)
    for replay in reading:
        require(replay, "moment")
        try:
            moment = replay.moment(_tick(replay, when))
        except ReplayError as error:
            reading.failed(file, error)
            continue
        if as_json:
            print(to_json({"file": replay.name, **moment.as_dict()}))
        else:
            _print(moment)
        reading.problems_so_far(replay)
    reading.finish()


def _tick(replay: Replay, when: str) -> int:
    try:
        return replay.tick_within(when)
    except ValueError as error:
        raise typer.BadParameter(str(error), param_hint="TIME") from None


def _print(moment: Moment) -> None:
    seconds = "" if moment.seconds is None else f" ({format_seconds(moment.seconds)})"
    print(f"tick {moment.tick}{seconds}")
    for name, value in moment.facts.items():
        print(f"{name} {shown_value(value)}" if value is not None else f"{name} -")
    for name, rows in moment.groups.items():
        print()
        print(f"{name}: {len(rows)}")
        print_rows(rows)
