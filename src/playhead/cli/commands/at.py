"""``playhead at``: what there is at a moment of a replay."""

from __future__ import annotations

from typing import Annotated

import typer

from playhead import ReplayError
from playhead.cli.inputs.reading import FilesArgument, Reading, StrictOption
from playhead.cli.output.standard import print_out
from playhead.cli.output.tables import print_rows, shown_value
from playhead.model import Moment
from playhead.text.json import to_json


def at(
    files: FilesArgument,
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
    reading = Reading(files, strict=strict)
    for replay in reading:
        if not reading.can(replay, "moment"):
            continue
        try:
            moment = replay.at(when)
        except ReplayError as error:
            reading.failed(replay.name, error)
            continue
        except ValueError as error:
            reading.note(replay, str(error), param_hint="TIME")
            continue
        if as_json:
            print_out(to_json({"file": replay.name, **moment.as_dict()}))
        else:
            if reading.several:
                print_out(f"==> {replay.name} <==")
            _print(moment)
        reading.problems_so_far(replay)
    reading.finish()


def _print(moment: Moment) -> None:
    print_out(moment.when())
    for name, value in moment.facts.items():
        print_out(f"{name} {shown_value(value)}" if value is not None else f"{name} -")
    for name, rows in moment.groups.items():
        print_out()
        print_out(f"{name}: {len(rows)}")
        print_rows(rows)
