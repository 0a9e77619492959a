"""``playhead diff``: the differences between two replays."""

from __future__ import annotations

from playhead import Replay, ReplayError
from playhead.cli.arguments import Exit, Parser, UsageError
from playhead.cli.inputs.options import add_file, add_json, add_strict
from playhead.cli.inputs.reading import Reading
from playhead.cli.output.standard import print_error, print_json, print_out
from playhead.cli.output.tables import shown_value

_EXIT_DIFFERENT = 1
_EXIT_TROUBLE = 2


def add_arguments(parser: Parser) -> None:
    add_file(parser, "first")
    add_file(parser, "second", "OTHER")
    parser.option(
        "--table NAME",
        "Only this table (repeat for several); facts, players and all tables by default.",
        action="append",
    )
    add_json(parser, "Print one JSON object per difference.")
    add_strict(parser)


def run(first: str, second: str, *, table: list[str] | None, as_json: bool, strict: bool) -> None:
    """Show where two replays differ, table by table.

    Exit status as diff: 0 the same, 1 different, 2 something could not be read.
    """
    from playhead.compare import compare

    reading = Reading([first, second], strict=strict, one_each=True, as_json=as_json)
    replays: list[Replay] = list(reading)
    if len(replays) < 2:
        raise Exit(_EXIT_TROUBLE)
    found = 0
    part = ""
    try:
        for difference in compare(replays[0], replays[1], table):
            found += 1
            if as_json:
                print_json({"file": first, "other_file": second, **difference.as_dict()})
                continue
            if difference.part != part:
                part = difference.part
                print_out(part)
            left, right = (
                "-" if side is None else shown_value(side) for side in (difference.first, difference.second)
            )
            print_out(f"  {difference.what}: {left} | {right}")
    except KeyError as error:
        raise UsageError(error.args[0], "--table") from None
    except (ReplayError, OSError) as error:
        print_error(str(error))
        raise Exit(_EXIT_TROUBLE) from None
    for replay in replays:
        reading.problems_so_far(replay)
    if found:
        raise Exit(_EXIT_DIFFERENT)
