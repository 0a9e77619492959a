"""``playhead diff``: where two replays differ."""

from __future__ import annotations

from typing import Annotated

import typer

from playhead import Replay, ReplayError
from playhead.cli.inputs.reading import FileArgument, Reading, StrictOption
from playhead.cli.output.standard import print_err, print_out
from playhead.cli.output.tables import shown_value
from playhead.text.json import to_json

_EXIT_DIFFERENT = 1
_EXIT_TROUBLE = 2


def diff(
    first: FileArgument,
    second: FileArgument,
    table: Annotated[
        list[str] | None,
        typer.Option("--table", help="Only this table (repeat for several); else facts, players, all tables."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object a difference, a line each.")] = False,
    strict: StrictOption = False,
) -> None:
    """Show where two replays differ: facts, players, tables with their first differing row.

    Exit status as diff: 0 the same, 1 different, 2 something could not be read.
    """
    from playhead.compare import compare

    reading = Reading([first, second], strict=strict, one_each=True)
    replays: list[Replay] = list(reading)
    if len(replays) < 2:
        raise typer.Exit(_EXIT_TROUBLE)
    found = 0
    part = ""
    try:
        for difference in compare(replays[0], replays[1], table):
            found += 1
            if as_json:
                print_out(to_json(difference.as_dict()))
                continue
            if difference.part != part:
                part = difference.part
                print_out(part)
            left, right = (
                "-" if side is None else shown_value(side) for side in (difference.first, difference.second)
            )
            print_out(f"  {difference.what}: {left} | {right}")
    except KeyError as error:
        raise typer.BadParameter(error.args[0], param_hint="--table") from None
    except (ReplayError, OSError) as error:
        print_err(f"playhead: error: {error}")
        raise typer.Exit(_EXIT_TROUBLE) from None
    for replay in replays:
        reading.problems_so_far(replay)
    if found:
        raise typer.Exit(_EXIT_DIFFERENT)
