"""Tables of players' actions: commands, selections, control groups, camera, actions per minute."""

from __future__ import annotations

from array import array
from collections.abc import Mapping, Sequence

from playhead.blizzard.encoding.field_column import NOTHING
from playhead.blizzard.events import Event, event_name, kind_of
from playhead.blizzard.events.columns import EventStream
from playhead.blizzard.events.commands import (
    ACTIVE,
    COMMAND_EVENTS,
    REMOVALS,
    TARGETS,
    ControlGroupUpdateEvent,
    SelectionDeltaEvent,
)
from playhead.blizzard.events.game import CameraUpdateEvent
from playhead.blizzard.events.merged_rows import (
    MergedRows,
    codes_of,
    either,
    matched,
    per_minute,
    rows_with,
    times,
)
from playhead.blizzard.events.scope import FINE
from playhead.blizzard.protocol.tables import NO_USER, TRACKER
from playhead.blizzard.tables.registry import WHO, rows_of, when_and_who
from playhead.runtime.libraries import pa
from playhead.sc2.state.link_types import LINK_EVENTS, learnt_types, target_types
from playhead.sc2.state.orders import (
    AS_STORED,
    AXES,
    COMMANDS_READ,
    REPEAT_EVENTS,
    command_abilities,
    command_rows,
    repeats,
)
from playhead.sc2.state.selections.timeline import SELECTION_EVENTS, SelectionTimeline, removals
from playhead.sc2.tables.registry import TableSource, event_table
from playhead.tables import arrow, shared
from playhead.tables.arrow import to_list
from playhead.tables.number_columns import float32_column, int32_column, int64_column, named_column
from playhead.tables.schema import Column, TableSchema
from playhead.tables.vocabulary import word, words

_ACTIONS = (*COMMAND_EVENTS, SelectionDeltaEvent, ControlGroupUpdateEvent)

APM = TableSchema.of(
    "apm",
    "Actions in each minute of the replay's clock: commands and their repetitions, changes of the active "
    "selection, uses of control groups. Camera moves are not actions.",
    *words("user player"),
    word("minute", "Of the game's clock."),
    Column("actions", "int64", "Actions in that minute, which the end of the game may cut short."),
    group="series",
)


@event_table(APM, *_ACTIONS, *REPEAT_EVENTS)
def apm(game: EventStream, source: TableSource) -> pa.Table:
    parts = [
        rows_with(done.orders, done.numbers("group"), ACTIVE) if done.type is SelectionDeltaEvent else done.orders
        for done in map(game.of, _ACTIONS)
    ]
    parts.append(repeats(game).orders)
    ticks, who, *_ = game.rows.heads
    minute, start = source.loops_per_second * 60, source.start_tick
    users, minutes, counts = per_minute(parts, ticks, who, NO_USER, minute, start)
    held = int32_column(users, NOTHING)
    return APM.build(
        {
            "user": held,
            "player": arrow.lookup(held, source.players_by_user, pa.int32()),
            "minute": int32_column(minutes, NOTHING),
            "actions": int64_column(counts, NOTHING),
        }
    )


_UNCHANGED = "Null if it did not change."
CAMERA = TableSchema.of(
    "camera",
    "One row for each move of a player's camera.",
    *WHO,
    *words("x y"),
    word("distance", f"From the camera to the place: 34 by default. {_UNCHANGED}"),
    word("pitch", f"56 by default. {_UNCHANGED}"),
    word("yaw", f"90 by default. {_UNCHANGED}"),
    word("reason_id", "Null for the player, or if the build does not record it."),
)


@event_table(CAMERA, CameraUpdateEvent)
def camera(game: EventStream, source: TableSource) -> pa.Table:
    moves = game.of(CameraUpdateEvent)
    fields = moves.friendly("x", "y", "distance", "pitch", "yaw", "reason_id", scope=source.event_scope)
    return CAMERA.build({**when_and_who(moves, source), **fields})


_TARGETS = dict(enumerate(TARGETS))

COMMANDS = TableSchema.of(
    "commands",
    "One row for each order given, for each update that the game writes instead of repeating the order with "
    "another target, and for each repetition with the same target, of which it writes only the number.",
    *WHO,
    word(
        "kind",
        "command_given; command_repeated_at_point or command_repeated_at_unit: the last command of the user, "
        "repeated with another target; command_repeated: the same once more.",
    ),
    word("flags", "Bits differ by build."),
    Column("updates", "int64", "How often the command was repeated; null for a repetition itself."),
    word(
        "ability",
        "From the user's own catalog or the list of the build. Null without `ability_id`: a right "
        "click (smart); else unknown, as on maps with their own data.",
    ),
    word(
        "ability_id",
        "Index in the catalog of the build's data; null for a smart command. Of a repetition, that of the command "
        "that it repeats, as for the next two columns.",
    ),
    word("ability_index"),
    Column("ability_data", "int64", "Extra data of the ability."),
    word("target_kind", "none, point, unit or data; of a repetition that of the last command or update."),
    *(word(axis, "Of the target.") for axis in AXES),
    word("target_unit"),
    word("target_unit_type_id", "Its index in the catalog, as the player saw it."),
    word(
        "target_unit_type",
        "The tracker's for this unit just before, else the one that the tracker has for other units with this "
        "index in the replay, else that of the build's list.",
    ),
    word("target_player", "Owner of the target, as the player saw it."),
    word("target_value", "If `target_kind` is data."),
    word("command_number", "Also of a repetition; from 34784 on."),
    Column("other_unit", "int64", "Tag of another unit concerned."),
)


@event_table(COMMANDS, *COMMANDS_READ, *LINK_EVENTS)
def commands(game: EventStream, source: TableSource) -> pa.Table:
    """Return the table ``commands``: commands and their repetitions, in the order of the file."""
    merged, kinds, targets, held, times = command_rows(game)
    columns = {name: int64_column(held[name], NOTHING) for name in AS_STORED}
    columns |= {axis: float32_column(held[axis], NOTHING, 1 / FINE) for axis in AXES}
    columns["target_player"] = int32_column(held["target_player"], NOTHING)
    return COMMANDS.build(
        {
            **rows_of(game.rows, merged.orders, source),
            **columns,
            "kind": arrow.category(int32_column(merged.part, NOTHING), kinds),
            "updates": int64_column(times, NOTHING),
            "ability": _named(*command_abilities(game, source)),
            "target_kind": named_column(targets, NOTHING, _TARGETS),
            "target_unit_type": _target_types(game, source),
        }
    )


def _target_types(game: EventStream, source: TableSource) -> pa.Array:
    merged, _, _, held, _ = command_rows(game)
    links, tracker = held["target_unit_type_id"], source.stream(TRACKER)

    def name_of(number: int) -> str | None:
        if number < 0:
            return learnt_types(game, tracker).get(~number) or source.event_scope.unit(~number)
        assert tracker is not None
        return tracker.rows.texts[number]

    types = array("q", [NOTHING]) * len(links)
    if tracker is not None and tracker.kinds:
        types = target_types(tracker, game, merged.orders, held["target_unit"])
    return _named(*codes_of(either(types, links), None, name_of))


def _named(codes: array[int], names: Sequence[str]) -> pa.Array:
    return arrow.category(int32_column(codes, NOTHING), names)


#: The events besides commands and their updates.
_OTHERS = (SelectionDeltaEvent, ControlGroupUpdateEvent, CameraUpdateEvent)
_INPUTS = (*COMMAND_EVENTS, *REPEAT_EVENTS, *_OTHERS)

INPUTS = TableSchema.of(
    "inputs",
    "One row for each thing that a player did, in file order: `commands`, `selections`, `control_groups` and "
    "`camera` together, which have the rest. `kind` is that of `commands`, units_selected, group_units_removed "
    "(by the game, from a control group; no action), control_group_used or camera_moved.",
    *shared.INPUTS.columns,
    *words("user x y"),
)


@event_table(INPUTS, *_INPUTS)
def inputs(game: EventStream, source: TableSource) -> pa.Table:
    orders = command_rows(game)
    others = [game.of(type_) for type_ in _OTHERS if game.has(type_)]
    kinds = [*orders.kinds, *(kind_of(event_name(part.type)) for part in others)]
    merged = MergedRows([orders.merged.orders, *(part.orders for part in others)], len(game))
    numbers = [
        matched(part.numbers("group"), ACTIVE, number, len(kinds)) if part.type is SelectionDeltaEvent else number
        for number, part in enumerate(others, len(orders.kinds))
    ]
    kinds.append("group_units_removed")
    places = merged.column([orders.merged.part, *numbers])
    # In the unit of orders, the smallest fraction of a cell; the camera's units are multiples of it.
    larger = int(FINE / source.event_scope.camera_unit)

    def places_on(axis: str) -> pa.Array:
        moves = (times(part.numbers(axis), larger) if part.type is CameraUpdateEvent else None for part in others)
        return float32_column(merged.column([orders.columns[axis], *moves]), NOTHING, 1 / FINE)

    shown = {
        "kind": arrow.category(int32_column(places, NOTHING), kinds),
        "x": places_on("x"),
        "y": places_on("y"),
    }
    return INPUTS.build({**rows_of(game.rows, merged.orders, source), **shown})


_REMOVALS = dict(enumerate(REMOVALS))

SELECTIONS = TableSchema.of(
    "selections",
    "One row for each change of a selection or of a control group's content.",
    *WHO,
    word("group"),
    Column("subgroup", "int64", "Subgroup that is active afterwards."),
    *words("remove remove_indices"),
    Column("added_type_ids", "list<int64>", "Index in the catalog of the unit type of each added subgroup."),
    Column(
        "added_types",
        "list<string>",
        "Names of these types: those that the tracker has for units with this index, else of the build's list.",
    ),
    Column("added_counts", "list<int64>", "How many units of each."),
    Column("added_units", "list<int64>", "Tags of the added units."),
    word("units", "In `group` afterwards, in ascending order."),
)

CONTROL_GROUPS = TableSchema.of(
    "control_groups",
    "One row for each use of a control group.",
    *WHO,
    word("group"),
    word("action", "set, append, recall, clear, steal, steal_append; else the number."),
    word("remove", "Which of the group's units are gone by now."),
    word("remove_indices"),
    word("units", "In the group afterwards; after a recall, in the active selection. Ascending."),
)


def _removal_columns(game: EventStream, type_: type[Event]) -> dict[str, pa.Array]:
    kinds, ends, places = removals(game, type_)
    return {
        "remove": named_column(kinds, NOTHING, _REMOVALS),
        "remove_indices": pa.ListArray.from_arrays(
            arrow.int32_array(array("i", [0]) + ends), int64_column(places, NOTHING)
        ),
    }


def _units_after(game: EventStream, *, uses: bool) -> pa.Array:
    return game.once("selections", SelectionTimeline).units_after(uses=uses)


def _types_of(links: pa.Array, learnt: Mapping[int, str], source: TableSource) -> pa.Array:
    """Return the names of lists of links."""
    flat = links.values
    names = {link: learnt.get(link) or source.event_scope.unit(link) for link in set(to_list(flat))}
    return pa.ListArray.from_arrays(links.offsets, arrow.lookup(flat, names, pa.string()))


@event_table(SELECTIONS, *SELECTION_EVENTS, *LINK_EVENTS)
def selections(game: EventStream, source: TableSource) -> pa.Table:
    changes = game.of(SelectionDeltaEvent)
    names = ("group", "subgroup", "added_type_ids", "added_counts", "added_units")
    added = changes.friendly(*names, scope=source.event_scope)
    return SELECTIONS.build(
        {
            **when_and_who(changes, source),
            **added,
            "added_types": _types_of(added["added_type_ids"], learnt_types(game, source.stream(TRACKER)), source),
            **_removal_columns(game, SelectionDeltaEvent),
            "units": _units_after(game, uses=False),
        }
    )


@event_table(CONTROL_GROUPS, *SELECTION_EVENTS)
def control_groups(game: EventStream, source: TableSource) -> pa.Table:
    uses = game.of(ControlGroupUpdateEvent)
    return CONTROL_GROUPS.build(
        {
            **when_and_who(uses, source),
            **uses.friendly("group", "action", scope=source.event_scope),
            **_removal_columns(game, ControlGroupUpdateEvent),
            "units": _units_after(game, uses=True),
        }
    )
