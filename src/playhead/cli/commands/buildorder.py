"""``playhead buildorder``: what each player made, as people post it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any

import typer

from playhead import Replay, ReplayError
from playhead.cli.inputs.reading import FilesArgument, Reading, StrictOption
from playhead.cli.output.standard import print_out
from playhead.clock import format_displayed
from playhead.model import Player
from playhead.text.json import to_json

_TABLE = "build_order"


def buildorder(
    files: FilesArgument,
    player: Annotated[
        str | None, typer.Option("--player", metavar="NAME|N", help="Only this player, by name or number.")
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="One JSON object a row of the table build_order.")
    ] = False,
    strict: StrictOption = False,
) -> None:
    """Print build orders of a StarCraft II game: supply, time of the start, and what; what was not finished says
    so."""
    reading = Reading(files, strict=strict)
    for replay in reading:
        if _TABLE not in replay.tables:
            reading.lacks(replay, "has no build orders", all_of_it=True)
            continue
        chosen = _chosen(replay, player)
        if not chosen and player is not None:
            known = ", ".join(f"{each.player} {each.name}" for each in replay.players)
            reading.note(replay, f"{player!r} does not play here: {known}", param_hint="--player")
            continue
        try:
            rows = replay.table(_TABLE).to_pylist()
        except ReplayError as error:
            reading.failed(replay.name, error)
            continue
        if reading.several and not as_json:
            print_out(f"==> {replay.name} <==")
        named = {"file": replay.name} if reading.several else {}
        for place, (number, players) in enumerate(chosen.items()):
            mine = [row for row in rows if row["player"] == number]
            lines = (
                (to_json({**named, **row}) for row in mine)
                if as_json
                else _lines(mine, number, players, first=place == 0)
            )
            for line in lines:
                print_out(line)
        reading.problems_so_far(replay)
    reading.finish()


def _chosen(replay: Replay, player: str | None) -> dict[int, list[Player]]:
    """Return the players to show by number; two who share an army have one."""
    found: dict[int, list[Player]] = {}
    for each in replay.players:
        if each.player is not None and player in (None, each.name, str(each.player)):
            found.setdefault(each.player, []).append(each)
    return found


def _lines(
    rows: Sequence[Mapping[str, Any]], number: int, players: Sequence[Player], *, first: bool
) -> Iterator[str]:
    if not first:
        yield ""
    names = " and ".join(player.name or "-" for player in players)
    yield f"{number} {names} ({players[0].character or '-'})"
    if not rows:
        yield "  nothing: the game writes what it needs since 2.0.8"
    for row, count in _together(rows):
        what = spoken_name(row["name"]) + (f" x{count}" if count > 1 else "")
        if row["outcome"] != "finished":
            what += f" ({row['outcome']})"
        yield f"{row['supply']:>5g}  {format_displayed(row['seconds']):>5}  {what}"


def _together(rows: Sequence[Mapping[str, Any]]) -> Iterator[tuple[Mapping[str, Any], int]]:
    """Yield each row that begins a run of the same thing in the same second, and how many the run has."""
    begun: Mapping[str, Any] | None = None
    count = 0
    for row in rows:
        if begun is not None and _alike(row, begun):
            count += 1
            continue
        if begun is not None:
            yield begun, count
        begun, count = row, 1
    if begun is not None:
        yield begun, count


def _alike(row: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    same = row["name"] == other["name"] and row["outcome"] == other["outcome"]
    return same and int(row["seconds"]) == int(other["seconds"])


def spoken_name(name: str) -> str:
    """Return a name of the game data in words: ``SupplyDepot`` as Supply Depot, ``LurkerMP`` as Lurker."""
    return re.sub(r"(?<=[a-z])(?=[A-Z0-9])|(?<=[A-Z])(?=[A-Z][a-z])", " ", re.sub(r"MP$", "", name))
