"""The table ``commands``: orders and their repetitions."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from typing import NamedTuple

from playhead.runtime.libraries import pa, pc
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
from playhead.sc2.events.merged_rows import MergedRows, blank, blank_where, codes_of, either, gathered, repeated
from playhead.sc2.events.repeats import REPEAT_EVENTS, repeats
from playhead.sc2.events.values import FINE
from playhead.sc2.protocol.tables import TRACKER
from playhead.sc2.state.units.link_types import LINK_EVENTS, learnt_types, target_types
from playhead.sc2.tables.columns import WHO, X, Y, rows_of
from playhead.sc2.tables.registry import TableSource, event_table
from playhead.tables import arrow
from playhead.tables.number_columns import float64_column, int32_column, int64_column, named_column
from playhead.tables.schema import Column, TableSchema

_TARGETS = dict(enumerate(TARGETS))
#: The events that `command_rows` reads.
COMMANDS_READ = (*COMMAND_EVENTS, *REPEAT_EVENTS)
_REPEAT, _SEQUENCE = "repeat", "sequence"
#: Ranks of kinds for `repeated`; all others are updates.
_RANKS = {kind_of(event_name(CmdEvent)): 0, _REPEAT: 2}
_ABILITY = ("ability_link", "ability_index", "ability_data")
_OF_TARGET_UNIT = ("target_unit", "target_unit_link")
_AS_STORED = (*_ABILITY, *_OF_TARGET_UNIT, "flags", "target_player", "data", "sequence", "other_unit")
_AXES = ("x", "y", "z")
#: The columns that a repeat has from the row with its target.
_OF_TARGET = (*_AXES, *_OF_TARGET_UNIT, "target_player", "data")

COMMANDS = TableSchema.of(
    "commands",
    "One row for each order given, for each update that the game writes instead of repeating the order with "
    "another target, and for each repetition with the same target, of which it writes only the number.",
    *WHO,
    Column(
        "kind",
        "category",
        "command, or update_point or update_unit: the last command of the user, repeated with another target; "
        "or repeat: the same once more.",
    ),
    Column("flags", "int64", "The command's flags as they are stored; bits differ by build."),
    Column("updates", "int64", "How often the command was repeated; null for a repetition itself."),
    Column(
        "ability",
        "category",
        "Name of the ability's command, from the user's own catalog or the list of the build; null if it is "
        "unknown and on maps with their own data.",
    ),
    Column(
        "ability_link",
        "int64",
        "Catalog index of the ability in the build's data; null for a smart command. Of a repetition, that of "
        "the command that it repeats, as for the next two columns.",
    ),
    Column("ability_index", "int64", "Which command of the ability."),
    Column("ability_data", "int64", "Extra data of the ability."),
    Column("target", "category", "none, point, unit or data; of a repeat that of the last command or update."),
    X,
    Y,
    Column("z", "float64", "Height of the target.", "cells"),
    Column("target_unit", "int64", "Unit tag of the target."),
    Column("target_unit_link", "int64", "Catalog index of the target's unit type, as the player saw it."),
    Column(
        "target_unit_type",
        "category",
        "Name of that unit type: the tracker's for this unit just before, else the one that the tracker has "
        "for other units with this link in the replay, else that of the build's list.",
    ),
    Column("target_player", "int32", "Player who controlled the target, as the player saw it."),
    Column("data", "int64", "The number that is the target, if `target` is data."),
    Column("sequence", "int64", "Number of the command, also of a repeat; from 34784 on."),
    Column("other_unit", "int64", "Unit tag of another unit concerned."),
    version=5,
)


def _old_targets(given: EventFields) -> pa.Array:
    """Return `old_target` of each command, for build 15405."""
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
        for name in (*_AS_STORED, *_AXES)
    }
    columns[_SEQUENCE] = merged.column(
        [*(part.numbers(_SEQUENCE) if _SEQUENCE in part.names else None for part in parts), again.sequences]
    )
    kinds = [*(kind_of(event_name(part.type)) for part in parts), _REPEAT]
    ranks = merged.column([_RANKS.get(kind, 1) for kind in kinds])
    commands, aims, times = repeated(ranks, merged.orders, game.rows.heads[1])
    if again.orders:
        targets = gathered(targets, aims)
        columns |= {name: gathered(columns[name], aims) for name in _OF_TARGET}
    for axis in _AXES:
        blank(columns[axis], targets, (TARGET_POINT, TARGET_UNIT))
    for name in _OF_TARGET_UNIT:
        blank(columns[name], targets, (TARGET_UNIT,))
    link = columns["ability_link"][:]
    for name in _ABILITY:
        blank_where(columns[name], link, NO_LINK)
        columns[name] = gathered(columns[name], commands)
    return CommandRows(merged, kinds, targets, columns, times)


def command_abilities(game: EventStream, source: TableSource) -> tuple[array[int], list[str]]:
    """Return the ability of each of `command_rows` as an index in a list of names, and that list, cached."""
    held, name_of = command_rows(game).columns, source.event_scope.ability
    return game.once("command_abilities", lambda _: codes_of(held["ability_link"], held["ability_index"], name_of))


@event_table(COMMANDS, *COMMANDS_READ, *LINK_EVENTS)
def commands(game: EventStream, source: TableSource) -> pa.Table:
    """Return the table ``commands``: commands and their repetitions, in the order of the file."""
    merged, kinds, targets, held, times = command_rows(game)
    columns = {name: int64_column(held[name], NOTHING) for name in _AS_STORED}
    columns |= {axis: float64_column(held[axis], NOTHING, 1 / FINE) for axis in _AXES}
    columns["target_player"] = int32_column(held["target_player"], NOTHING)
    return COMMANDS.build(
        {
            **rows_of(game.rows, merged.orders, source),
            **columns,
            "kind": arrow.category(int32_column(merged.part, NOTHING), kinds),
            "updates": int64_column(times, NOTHING),
            "ability": _named(*command_abilities(game, source)),
            "target": named_column(targets, NOTHING, _TARGETS),
            "target_unit_type": _target_types(game, source),
        }
    )


def _target_types(game: EventStream, source: TableSource) -> pa.Array:
    merged, _, _, held, _ = command_rows(game)
    links, tracker = held["target_unit_link"], source.stream(TRACKER)

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
