"""Orders of users: targets, abilities, names, and repetitions that the game does not write again.

From 34784 on the game writes a result of its queue of orders (`CommandManagerStateEvent`) after each update of an
order. A result without an update is the user's last order once more, with its target: a held key, a queued worker,
one more egg. All 133,302 updates of the corpus are followed by exactly one result of their user in their loop.
"""

from __future__ import annotations

from array import array
from collections.abc import Container
from typing import NamedTuple

from playhead.blizzard.encoding.field_column import NOTHING
from playhead.blizzard.events import Event, event_name, kind_of
from playhead.blizzard.events.columns import EventFields, EventStream
from playhead.blizzard.events.commands import (
    COMMAND_EVENTS,
    NO_LINK,
    OLD_TARGET_POINT,
    OLD_TARGET_UNIT,
    TARGET_POINT,
    TARGET_UNIT,
    UPDATE_EVENTS,
    CmdEvent,
    CmdUpdateTargetPointEvent,
    CmdUpdateTargetUnitEvent,
    CommandManagerStateEvent,
)
from playhead.blizzard.events.merged_rows import (
    MergedRows,
    blank,
    blank_where,
    codes_of,
    gathered,
    repeated,
    unpaired,
)
from playhead.blizzard.events.scope import FINE
from playhead.blizzard.events.tracker import PlayerStatsEvent
from playhead.blizzard.protocol.tables import GAME
from playhead.blizzard.tables.registry import StreamSource
from playhead.blizzard.units.states import places_with
from playhead.runtime.libraries import pa, pc
from playhead.tables import arrow
from playhead.tables.value_arrays import scalar_of

#: The events that `repeats` reads.
REPEAT_EVENTS: tuple[type[Event], ...] = (CommandManagerStateEvent, *UPDATE_EVENTS)
#: The only state in the corpus.
_DONE = 1


class Repeats(NamedTuple):
    """Repeated orders in file order: row in the stream (``array('i')``), and number of the order."""

    orders: array[int]
    sequences: array[int]


def repeats(game: EventStream) -> Repeats:
    """Return the repeated orders of a replay, cached with the stream for several tables."""
    return game.once("repeats", _repeats)


def _repeats(game: EventStream) -> Repeats:
    if not game.has(CommandManagerStateEvent):
        return Repeats(array("i"), array("q"))
    results = game.of(CommandManagerStateEvent)
    updates = [game.of(type_).orders for type_ in UPDATE_EVENTS if game.has(type_)]
    merged = MergedRows([results.orders, *updates], len(game))
    users = game.rows.heads[1]
    places = unpaired(merged.part, merged.orders, users, results.numbers("state"), _DONE)
    orders = array("i", [results.orders[place] for place in places])
    return Repeats(orders, gathered(results.numbers("command_number"), places))


def written_twice(tracker: EventStream) -> frozenset[int]:
    """Return the places of the statistics that repeat the player's last row in its loop, cached with the stream.
    For a player who leaves, or loses, the game writes another row in the same loop.

    In melee games of the corpus 131 of 133 are equal to the first row; on arcade maps the second comes after the
    map has removed the player's units.
    """
    return tracker.once("written_twice", _written_twice)


def _written_twice(tracker: EventStream) -> frozenset[int]:
    events, loops = tracker.of(PlayerStatsEvent), tracker.rows.heads[0]
    last: dict[int, int] = {}
    found = set()
    for place, (order, player) in enumerate(zip(events.orders, events.numbers("m_playerId"), strict=True)):
        if last.get(player) == loops[order]:
            found.add(place)
        last[player] = loops[order]
    return frozenset(found)


#: The events that `command_rows` reads.
COMMANDS_READ = (*COMMAND_EVENTS, *REPEAT_EVENTS)
#: Kinds of rows besides updates.
COMMAND, REPEAT = kind_of(event_name(CmdEvent)), "command_repeated"
_NUMBER = "command_number"
#: Ranks of kinds for `repeated`; all others are updates.
_RANKS = {COMMAND: 0, REPEAT: 2}
_ABILITY = ("ability_id", "ability_index", "ability_data")
_OF_TARGET_UNIT = ("target_unit", "target_unit_type_id")
AS_STORED = (*_ABILITY, *_OF_TARGET_UNIT, "flags", "target_player", "target_value", _NUMBER, "other_unit")
AXES = ("x", "y", "z")
#: The columns that a repeat has from the row with its target.
_OF_TARGET = (*AXES, *_OF_TARGET_UNIT, "target_player", "target_value")


def _old_targets(given: EventFields) -> pa.Array:
    """Return `old_target` of each command, for build 15405."""
    # Scalars of Arrow: it would import pandas to recognize plain numbers.
    none, a_point, a_unit = (scalar_of(number, pa.int64()) for number in (0, TARGET_POINT, TARGET_UNIT))
    spots = [pc.not_equal(given.get(f"{OLD_TARGET_POINT}.{axis}"), none) for axis in AXES]
    point = pc.or_(pc.or_(spots[0], spots[1]), spots[2])
    return pc.if_else(pc.not_equal(given.get(OLD_TARGET_UNIT), none), a_unit, pc.if_else(point, a_point, none))


def _targets(given: EventFields) -> array[int] | int:
    """Return the targets of commands or their updates, as indices in `TARGETS`."""
    if given.type is CmdUpdateTargetPointEvent:
        return TARGET_POINT
    if given.type is CmdUpdateTargetUnitEvent:
        return TARGET_UNIT
    if OLD_TARGET_UNIT in given.columns:
        return arrow.int64_numbers(_old_targets(given), NOTHING)
    return given.numbers("m_data#")


class CommandRows(NamedTuple):
    """Commands, their updates and repeats in file order; columns have `NOTHING` for null.

    Attributes:
        merged: rows in the stream, and the index of each in `kinds`.
        kinds: short words for the classes of events.
        targets: indices in `TARGETS`.
        columns: as stored, by name; of a repetition, with the ability of its command.
        times: how often each command was repeated.
    """

    merged: MergedRows
    kinds: list[str]
    targets: array[int]
    columns: dict[str, array[int]]
    times: array[int]


def command_rows(game: EventStream) -> CommandRows:
    """Return commands, their updates and repeats, cached with the stream for several tables."""
    return game.once("command_rows", _command_rows)


def _command_rows(game: EventStream) -> CommandRows:
    parts = [game.of(type_) for type_ in COMMAND_EVENTS if game.has(type_)]
    again = repeats(game)
    merged = MergedRows([*(part.orders for part in parts), again.orders], len(game))
    targets = merged.column([*map(_targets, parts), 0])
    columns = {
        name: merged.column([part.numbers(name) if name in part.names else None for part in parts])
        for name in (*AS_STORED, *AXES)
    }
    columns[_NUMBER] = merged.column(
        [*(part.numbers(_NUMBER) if _NUMBER in part.names else None for part in parts), again.sequences]
    )
    kinds = [*(kind_of(event_name(part.type)) for part in parts), REPEAT]
    ranks = merged.column([_RANKS.get(kind, 1) for kind in kinds])
    commands, aims, times = repeated(ranks, merged.orders, game.rows.heads[1])
    if again.orders:
        targets = gathered(targets, aims)
        columns |= {name: gathered(columns[name], aims) for name in _OF_TARGET}
    for axis in AXES:
        blank(columns[axis], targets, (TARGET_POINT, TARGET_UNIT))
    for name in _OF_TARGET_UNIT:
        blank(columns[name], targets, (TARGET_UNIT,))
    link = columns["ability_id"][:]
    for name in _ABILITY:
        blank_where(columns[name], link, NO_LINK)
        columns[name] = gathered(columns[name], commands)
    return CommandRows(merged, kinds, targets, columns, times)


def command_abilities(game: EventStream, source: StreamSource) -> tuple[array[int], list[str]]:
    """Return the ability of each of `command_rows` as an index in a list of names, and that list, cached."""
    held, name_of = command_rows(game).columns, source.event_scope.ability
    return game.once("command_abilities", lambda _: codes_of(held["ability_id"], held["ability_index"], name_of))


class NamedOrder(NamedTuple):
    """An order, an update or a repetition of one.

    Attributes:
        row: of its event in the stream.
        kind: as in table ``commands``.
        loop: of its event.
        user: of its event.
        player: of the user; None for an observer.
        name: of the ability's command.
        target: unit tag of the target; None without one.
        x, y: of the target, in cells; None without one.
    """

    row: int
    kind: str
    loop: int
    user: int
    player: int | None
    name: str
    target: int | None
    x: float | None
    y: float | None


def named_orders(source: StreamSource, names: Container[str]) -> list[NamedOrder]:
    """Return the orders with an ability of these names, in file order; empty if the names are unknown."""
    game = source.stream(GAME)
    if game is None or not game.kinds:
        return []
    held = command_rows(game)
    codes, texts = command_abilities(game, source)
    wanted = places_with(codes, [text in names for text in texts])
    loops, users, *_ = game.rows.heads
    players = source.players_by_user
    kinds, parts, orders = held.kinds, held.merged.part, held.merged.orders
    targets, xs, ys = (held.columns[name] for name in ("target_unit", "x", "y"))
    rows = [orders[place] for place in wanted]
    who = [users[row] for row in rows]
    columns = (
        rows,
        [kinds[parts[place]] for place in wanted],
        [loops[row] for row in rows],
        who,
        map(players.get, who),
        [texts[codes[place]] for place in wanted],
        [None if tag in (NOTHING, 0) else tag for tag in gathered(targets, wanted)],
        *([None if spot == NOTHING else spot / FINE for spot in gathered(axis, wanted)] for axis in (xs, ys)),
    )
    return list(map(NamedOrder._make, zip(*columns, strict=True)))  # a game has thousands


def times_of_orders(
    source: StreamSource, names: Container[str], kinds: Container[str]
) -> list[tuple[int, int, str]]:
    """Return loop, player and name of the orders of known players with an ability of these names, and of these
    kinds (as `NamedOrder.kind`), in order of time."""
    game = source.stream(GAME)
    if game is None or not game.kinds:
        return []
    held = command_rows(game)
    codes, texts = command_abilities(game, source)
    loops, users, *_ = game.rows.heads
    players = source.players_by_user
    is_wanted, parts, orders = [kind in kinds for kind in held.kinds], held.merged.part, held.merged.orders
    wanted = places_with(codes, [text in names for text in texts])
    found = [(orders[place], texts[codes[place]]) for place in wanted if is_wanted[parts[place]]]
    return sorted(
        (loops[row], player, name) for row, name in found if (player := players.get(users[row])) is not None
    )
