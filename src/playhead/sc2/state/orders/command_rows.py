"""`command_rows`: orders, their updates and repetitions in file order, for several tables."""

from __future__ import annotations

from array import array
from typing import NamedTuple

from playhead.blizzard.encoding.field_column import NOTHING
from playhead.blizzard.events import event_name, kind_of
from playhead.blizzard.events.columns import EventFields, EventStream
from playhead.blizzard.events.commands import (
    COMMAND_EVENTS,
    NO_LINK,
    OLD_TARGET_POINT,
    OLD_TARGET_UNIT,
    TARGET_POINT,
    TARGET_UNIT,
    CmdEvent,
    CmdUpdateTargetPointEvent,
    CmdUpdateTargetUnitEvent,
)
from playhead.blizzard.events.merged_rows import MergedRows, blank, blank_where, codes_of, gathered, repeated
from playhead.blizzard.tables.registry import StreamSource
from playhead.runtime.libraries import pa, pc
from playhead.sc2.events.repeats import REPEAT_EVENTS, repeats
from playhead.tables import arrow
from playhead.tables.value_arrays import scalar_of

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
