"""The table ``commands``: orders and their repetitions."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from playhead.sc2.encoding.field_column import NOTHING
from playhead.sc2.events import event_name, kind_of
from playhead.sc2.events.columns import EventFields, EventStream
from playhead.sc2.events.commands import (
    COMMAND_EVENTS,
    NO_LINK,
    OLD_TARGET_POINT,
    OLD_TARGET_UNIT,
    TARGET_POINT,
    TARGET_UNIT,
    TARGETS,
    CmdEvent,
    CmdUpdateTargetPointEvent,
    CmdUpdateTargetUnitEvent,
)
from playhead.sc2.events.merged_rows import MergedRows, blank, blank_where, codes_of, gathered, repeated
from playhead.sc2.events.values import FINE
from playhead.sc2.tables.columns import WHO, X, Y, rows_of
from playhead.sc2.tables.registry import TableSource, event_table
from playhead.tables import arrow
from playhead.tables.number_columns import float64_column, int32_column, int64_column, named_column
from playhead.tables.schema import Column, TableSchema

if TYPE_CHECKING:
    import pyarrow as pa

_TARGETS = dict(enumerate(TARGETS))
#: The events that `command_rows` reads.
COMMANDS_READ = COMMAND_EVENTS
_COMMAND = kind_of(event_name(CmdEvent))
_ABILITY = ("ability_link", "ability_index", "ability_data")
_OF_TARGET_UNIT = ("target_unit", "target_unit_link")
_AS_STORED = (*_ABILITY, *_OF_TARGET_UNIT, "flags", "target_player", "data", "sequence", "other_unit")
_AXES = ("x", "y", "z")

COMMANDS = TableSchema(
    name="commands",
    version=4,
    doc="One row for each order given, and for each update that the game writes instead of repeating the order.",
    columns=(
        *WHO,
        Column(
            "kind",
            "category",
            "command, or update_point or update_unit: the last command of the user, repeated with another target.",
        ),
        Column("flags", "int64", "The command's flags as they are stored; bits differ by build."),
        Column("updates", "int64", "How often the command was repeated by updates; null for an update itself."),
        Column(
            "ability",
            "category",
            "Name of the ability's command, from the user's own catalog or the list of the build; null if it is "
            "unknown and on maps with their own data.",
        ),
        Column(
            "ability_link",
            "int64",
            "Catalog index of the ability in the build's data; null for a smart command. Of an update, that of "
            "the command that it repeats, as for the next two columns.",
        ),
        Column("ability_index", "int64", "Which command of the ability."),
        Column("ability_data", "int64", "Extra data of the ability."),
        Column("target", "category", "none, point, unit or data."),
        X,
        Y,
        Column("z", "float64", "Height of the target.", "cells"),
        Column("target_unit", "int64", "Unit tag of the target."),
        Column("target_unit_link", "int64", "Catalog index of the target's unit type, as the player saw it."),
        Column(
            "target_unit_type",
            "category",
            "Name of that unit type by the list of the build; null where `ability` is null.",
        ),
        Column("target_player", "int32", "Player who controlled the target, as the player saw it."),
        Column("data", "int64", "The number that is the target, if `target` is data."),
        Column("sequence", "int64", "Number of the command; from 34784 on."),
        Column("other_unit", "int64", "Unit tag of another unit concerned."),
    ),
)


def _old_targets(given: EventFields) -> pa.Array:
    """Return `old_target` of each command, for build 15405."""
    import pyarrow.compute as pc

    spots = [pc.not_equal(given.get(f"{OLD_TARGET_POINT}.{axis}"), 0) for axis in _AXES]
    point = pc.or_(pc.or_(spots[0], spots[1]), spots[2])
    return pc.if_else(pc.not_equal(given.get(OLD_TARGET_UNIT), 0), TARGET_UNIT, pc.if_else(point, TARGET_POINT, 0))


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
    """Commands and their updates in file order; columns have `NOTHING` for null.

    Attributes:
        merged: rows in the stream, and the index of each in `kinds`.
        kinds: short words for the classes of events.
        targets: indices in `TARGETS`.
        columns: as stored, by name.
    """

    merged: MergedRows
    kinds: list[str]
    targets: array[int]
    columns: dict[str, array[int]]


def command_rows(game: EventStream) -> CommandRows:
    """Return commands and their updates, cached with the stream for several tables."""
    return game.once("command_rows", _command_rows)


def _command_rows(game: EventStream) -> CommandRows:
    parts = [game.of(type_) for type_ in COMMAND_EVENTS if game.has(type_)]
    merged = MergedRows([part.orders for part in parts], len(game))
    targets = merged.column([_targets(part) for part in parts])
    columns = {
        name: merged.column([part.numbers(name) if name in part.names else None for part in parts])
        for name in (*_AS_STORED, *_AXES)
    }
    for axis in _AXES:
        blank(columns[axis], targets, (TARGET_POINT, TARGET_UNIT))
    for name in _OF_TARGET_UNIT:
        blank(columns[name], targets, (TARGET_UNIT,))
    link = columns["ability_link"][:]
    for name in _ABILITY:
        blank_where(columns[name], link, NO_LINK)
    return CommandRows(merged, [kind_of(event_name(part.type)) for part in parts], targets, columns)


@event_table(COMMANDS, *COMMANDS_READ)
def commands(game: EventStream, source: TableSource) -> pa.Table:
    """Return the table ``commands``: commands and their updates, in the order of the file."""
    merged, kinds, targets, held = command_rows(game)
    is_update = merged.column([int(kind != _COMMAND) for kind in kinds])
    updated, updates = repeated(is_update, merged.orders, game.rows.heads[1])
    columns = {name: int64_column(held[name], NOTHING) for name in _AS_STORED if name not in _ABILITY}
    ability = {name: gathered(held[name], updated) for name in _ABILITY}
    columns |= {name: int64_column(values, NOTHING) for name, values in ability.items()}
    columns |= {axis: float64_column(held[axis], NOTHING, 1 / FINE) for axis in _AXES}
    columns["target_player"] = int32_column(held["target_player"], NOTHING)
    scope = source.event_scope
    names = codes_of(ability["ability_link"], ability["ability_index"], scope.ability)
    return COMMANDS.build(
        {
            **rows_of(game.rows, merged.orders, source),
            **columns,
            "kind": arrow.category(int32_column(merged.part, NOTHING), kinds),
            "updates": int64_column(updates, NOTHING),
            "ability": _named(*names),
            "target": named_column(targets, NOTHING, _TARGETS),
            "target_unit_type": _named(*codes_of(held["target_unit_link"], None, scope.unit)),
        }
    )


def _named(codes: array[int], names: Sequence[str]) -> pa.Array:
    return arrow.category(int32_column(codes, NOTHING), names)
