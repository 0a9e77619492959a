"""``playhead at``: the state of a game at a moment."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from playhead import ReplayError
from playhead.cli.arguments import Parser
from playhead.cli.inputs.options import add_files, add_json, add_player, add_strict, choose_players
from playhead.cli.inputs.reading import Reading
from playhead.cli.output.standard import print_json, print_out
from playhead.cli.output.tables import print_rows, shown_value
from playhead.model import Moment
from playhead.presentation import Wording


def add_arguments(parser: Parser) -> None:
    add_files(parser)
    parser.add_argument(
        "when",
        metavar="TIME",
        help="12:30, 1:12:30 or -0:45 as the game shows it, 750s (seconds), or 22500t (ticks, loops).",
    )
    add_player(parser, "Only the rows of this player")
    add_json(parser, "Print one JSON object.")
    add_strict(parser)


def run(files: list[str], when: str, *, player: list[str] | None, as_json: bool, strict: bool) -> None:
    """Show a moment: players, units, positions, inventories."""
    reading = Reading(files, strict=strict, as_json=as_json)
    for replay in reading:
        if not reading.can(replay, "moment"):
            continue
        players = None if player is None else choose_players(reading, replay, player)
        if players == []:
            continue
        try:
            moment = replay.at(when)
        except ReplayError as error:
            reading.failed(replay.name, error)
            continue
        except ValueError as error:
            reading.note(replay, str(error), option="TIME")
            continue
        hides = replay.presentation.wording.hides
        groups = {
            name: [
                dict(row)
                for row in rows
                if (players is None or row["player"] in players)
                and not any(hides(value) for key, value in row.items() if key != "name")
            ]
            for name, rows in moment.groups.items()
        }
        if as_json:
            print_json({"file": replay.name, **moment.as_dict(), **groups})
        else:
            reading.print_title(replay)
            _print(moment, groups, replay.presentation.wording)
        if "units" in replay.info.details.get("not_recorded", ()):
            reading.misses(replay, f"has no units and resources: {replay.why_empty('units')['units']}")
        reading.problems_so_far(replay)
    reading.finish()


def _print(moment: Moment, groups: Mapping[str, Sequence[Mapping[str, Any]]], wording: Wording) -> None:
    print_out(moment.when())
    for name, value in moment.facts.items():
        print_out(f"{name} {shown_value(value)}" if value is not None else f"{name} -")
    for name, rows in groups.items():
        print_out()
        print_out(f"{name}: {len(rows)}")
        print_rows([{name: wording.shown(value) for name, value in row.items()} for row in rows])
