"""The table ``scouting``: when each player first looked at, was at and sent units to each base of an opponent."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from operator import itemgetter
from typing import Any, NamedTuple

from playhead.blizzard.encoding.field_column import NOTHING, wide
from playhead.blizzard.events.columns import EventStream
from playhead.blizzard.events.game import CameraUpdateEvent
from playhead.blizzard.events.scope import FINE
from playhead.blizzard.events.tracker import UnitPositionsEvent
from playhead.blizzard.protocol.tables import GAME
from playhead.blizzard.tables.registry import WHEN, moment, rows_of, when_and_who
from playhead.blizzard.units.states import places_with, types_at
from playhead.blizzard.units.tracked import HISTORY_EVENTS, own_tag, unit_history, unit_positions, unit_spans
from playhead.runtime.libraries import pa
from playhead.sc2.state.map.nearby import first_near
from playhead.sc2.state.map.places import ResourcePlaces, Stay, places_of, stays_of
from playhead.sc2.state.orders import COMMANDS_READ, command_abilities, command_rows
from playhead.sc2.state.selections.timeline import SELECTION_EVENTS, selected_before
from playhead.sc2.tables.registry import TableSource, event_table
from playhead.tables import arrow
from playhead.tables.schema import TableSchema
from playhead.tables.vocabulary import word

#: A town hall is on a screen if it is at most so many cells beside, and above or below, its middle.
_BESIDE, _ABOVE = 12.0, 7.0
#: A place so many cells from a town hall is at its base.
_NEAR = 12.0
#: Bases and selected units that are compared: real games have fewer.
_MOST_BASES, _MOST_UNITS = 256, 512
#: After the last loop of all games.
_NEVER = 1 << 62

SCOUTING = TableSchema.of(
    "scouting",
    "For each player and each base of an opponent, the first moment of each kind: the town hall was on the "
    "player's screen, a unit of the player was within 12 cells of it, the player ordered units to within 12 cells "
    "of it. The town hall stood or was under construction at that time.",
    *WHEN,
    word(
        "known_by",
        "camera (the town hall is at most 12 cells beside and 7 above or below the middle of the screen; fog may "
        "have hidden it), position (the tracker reports a unit at birth, at death, and while it takes or deals "
        "damage), order (its target; the units arrive later, or never).",
    ),
    word("target_player", "The owner of the base."),
    word("target_unit", "The town hall."),
    word("base", "The place of the town hall."),
    word("clock", "Of the town hall."),
    word("x", "Of the town hall."),
    word("y", "Of the town hall."),
    word(
        "unit", "The unit that was there; of an order, the first selected one of `unit_type`; null for a camera."
    ),
    word("unit_type", "Its type then; of an order, the most frequent type that was selected; null for a camera."),
)


class Moments(NamedTuple):
    """Moments at places, in order of time: loop, player, x and y (in parts of a cell), and the row of the order or
    the tag of the unit; `NOTHING` for unknown ones."""

    parts: float
    loops: array[int]
    players: array[int]
    xs: array[int]
    ys: array[int]
    what: array[int]


class FirstLook(NamedTuple):
    """The first moment of a player at a base of another: loop, player, order or unit, base."""

    loop: int
    player: int
    what: int
    stay: Stay


def first_looks(moments: Moments, bases: Mapping[int, list[Stay]], width: float, height: float) -> list[FirstLook]:
    """Return the first look of each player at each base, in order of time.

    Args:
        bases: the bases that are looked for, by player.
        width, height: how far, in cells, a look is from the town hall at most.
    """
    parts, loops, players, xs, ys, what = moments
    found = []
    for player, stays in bases.items():
        for stay in stays:
            x, y = (stay.x or 0.0) * parts, (stay.y or 0.0) * parts
            about = (player, x, y, width * parts, height * parts)
            until = _NEVER if stay.end is None else stay.end
            at = first_near(loops, players, xs, ys, about, stay.start, until)
            if at >= 0:
                found.append((at, FirstLook(loops[at], player, what[at], stay)))
    return [look for _, look in sorted(found, key=itemgetter(0))]


@event_table(SCOUTING, UnitPositionsEvent, CameraUpdateEvent, *HISTORY_EVENTS, *COMMANDS_READ, *SELECTION_EVENTS)
def scouting(tracker: EventStream, source: TableSource) -> pa.Table:
    history, spans = unit_history(tracker), unit_spans(tracker)
    cells = source.event_scope.tracker_cells
    stays = [stay for stay in stays_of(spans, history.texts, cells, ()) if stay.x is not None][:_MOST_BASES]
    teams = {
        each.player: each.team for each in source.players if each.player is not None and each.team is not None
    }
    bases = {
        player: [stay for stay in stays if stay.player in teams and teams[stay.player] != team]
        for player, team in teams.items()
    }
    game = source.stream(GAME)
    orders = [] if game is None else first_looks(_ordered(game, source), bases, _NEAR, _NEAR)
    positions = first_looks(_positions(tracker, cells), bases, _NEAR, _NEAR)
    screens = [] if game is None else first_looks(_screens(game, source), bases, _BESIDE, _ABOVE)
    units: list[tuple[int, str] | None] = [None] * len(screens)
    units += _types(tracker, [(look.loop, [look.what]) for look in positions])
    units += [] if game is None else _types(tracker, _selected(game, orders))
    known_by = ["camera"] * len(screens) + ["position"] * len(positions) + ["order"] * len(orders)
    places = places_of(tracker, cells)
    rows = [
        {
            **moment(look.loop, source.loops_per_second),
            "player": look.player,
            "known_by": how,
            "target_unit": own_tag(history, look.stay.row),
            **_about(look.stay, places),
            **(dict(zip(("unit", "unit_type"), unit, strict=True)) if unit is not None else {}),
        }
        for look, how, unit in zip([*screens, *positions, *orders], known_by, units, strict=True)
    ]
    rows.sort(key=lambda row: (row["tick"], row["player"]))
    return SCOUTING.build_rows(rows)


def _about(stay: Stay, places: ResourcePlaces) -> dict[str, Any]:
    x, y = stay.x or 0.0, stay.y or 0.0
    place = places.at(x, y)
    base = None if place is None else place.number
    return {"target_player": stay.player, "base": base, "clock": places.clock(x, y), "x": x, "y": y}


def _screens(game: EventStream, source: TableSource) -> Moments:
    """Return the middle of each player's screen whenever it moved."""
    moves = game.of(CameraUpdateEvent)
    heads, unit = when_and_who(moves, source), source.event_scope.camera_unit
    loops, players = (arrow.int64_numbers(heads[name], NOTHING) for name in ("tick", "player"))
    return Moments(unit, loops, players, moves.numbers("x"), moves.numbers("y"), wide(moves.orders))


def _positions(tracker: EventStream, cells: float) -> Moments:
    """Return the positions of units that the tracker reports."""
    found = unit_positions(tracker)
    return Moments(1 / cells, *(found[name] for name in ("tick", "player", "x", "y", "unit")))


def _ordered(game: EventStream, source: TableSource) -> Moments:
    """Return the targets of orders, with the row of each; a rally point sends nobody yet."""
    held = command_rows(game)
    codes, names = command_abilities(game, source)
    heads = rows_of(game.rows, held.merged.orders, source)
    loops, players = (arrow.int64_numbers(heads[name], NOTHING) for name in ("tick", "player"))
    for place in places_with(codes, [(name or "").startswith("Rally") for name in names]):
        players[place] = NOTHING
    return Moments(FINE, loops, players, held.columns["x"], held.columns["y"], wide(held.merged.orders))


def _selected(game: EventStream, looks: list[FirstLook]) -> list[tuple[int, tuple[int, ...]]]:
    """Return the loop of each order, and the units that were selected."""
    rows = sorted({look.what for look in looks})
    units = dict(zip(rows, selected_before(game, rows), strict=True))
    return [(look.loop, units[look.what][:_MOST_UNITS]) for look in looks]


def _types(tracker: EventStream, groups: Iterable[tuple[int, Sequence[int]]]) -> list[tuple[int, str] | None]:
    """Return the first unit of the most frequent type in each group of units, and that type; None if unknown.

    Args:
        groups: loop and tags of each, in order of time.
    """
    held = list(groups)
    tags = array("q", [tag for _, units in held for tag in units])
    loops = array("q", [loop for loop, units in held for _ in units])
    types = iter(types_at(unit_history(tracker), tags, loops))
    found: list[tuple[int, str] | None] = []
    for _, units in held:
        known = [(tag, type_) for tag, type_ in zip(units, types, strict=False) if type_ != NOTHING]
        most = Counter(type_ for _, type_ in known).most_common(1)
        first = next(((tag, tracker.rows.texts[type_]) for tag, type_ in known if type_ == most[0][0]), None)
        found.append(first)
    return found
