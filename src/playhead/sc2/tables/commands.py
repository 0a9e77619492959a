"""The table ``commands``: orders and their repetitions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

from playhead.sc2.events import Scope, event_name, kind_of
from playhead.sc2.events.columns import EventFields, EventStream
from playhead.sc2.events.commands import (
    COMMAND_EVENTS,
    NO_LINK,
    OLD_TARGET_POINT,
    OLD_TARGET_UNIT,
    TARGET_POINT,
    TARGET_UNIT,
    TARGETS,
    CmdUpdateTargetPointEvent,
    CmdUpdateTargetUnitEvent,
)
from playhead.sc2.tables.columns import WHO, X, Y, when_and_who
from playhead.sc2.tables.registry import TableSource, event_table
from playhead.tables import arrow
from playhead.tables.schema import Column, TableSchema

if TYPE_CHECKING:
    import pyarrow as pa

_TARGETS = dict(enumerate(TARGETS))
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
            "Name of the ability's command, from the user's own catalog or the list of the build; null where that "
            "has none and on maps with data of their own.",
        ),
        Column(
            "ability_link",
            "int64",
            "Catalog index of the ability in the build's data; null for a smart command. Of an update, that of "
            "the command that it repeats, as are the two that follow.",
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
            "Name of that unit type by the list of the build; null where `ability` would be.",
        ),
        Column("target_player", "int32", "Player who controlled the target, as the player saw it."),
        Column("data", "int64", "The number that is the target, where `target` is data."),
        Column("sequence", "int64", "Number of the command; from 34784 on."),
        Column("other_unit", "int64", "Unit tag of another unit concerned."),
    ),
)


def _old_targets(given: EventFields) -> pa.Array:
    """Return the targets in build 15405, as `old_target` of each command."""
    import pyarrow.compute as pc

    spots = [pc.not_equal(given.get(f"{OLD_TARGET_POINT}.{axis}"), 0) for axis in _AXES]
    point = pc.or_(pc.or_(spots[0], spots[1]), spots[2])
    return pc.if_else(pc.not_equal(given.get(OLD_TARGET_UNIT), 0), TARGET_UNIT, pc.if_else(point, TARGET_POINT, 0))


def _targets(given: EventFields) -> pa.Array:
    """Return the places in `TARGETS` of what commands or their updates are aimed at."""
    import pyarrow as pa

    if given.type is CmdUpdateTargetPointEvent:
        return arrow.constant(TARGET_POINT, given.order, pa.int64())
    if given.type is CmdUpdateTargetUnitEvent:
        return arrow.constant(TARGET_UNIT, given.order, pa.int64())
    return _old_targets(given) if OLD_TARGET_UNIT in given.columns else given.get("m_data#")


def target_positions(given: EventFields, scope: Scope) -> dict[str, pa.Array]:
    """Return x, y and z in cells of the targets of commands or their updates; null where there is no position."""
    import pyarrow as pa
    import pyarrow.compute as pc

    aimed = pc.is_in(_targets(given), value_set=pa.array([TARGET_POINT, TARGET_UNIT], pa.int64()))
    nowhere = pa.scalar(None, pa.float64())
    spots = given.friendly(*_AXES, scope=scope)
    return {axis: pc.if_else(aimed, values, nowhere) for axis, values in spots.items()}


def _command_columns(given: EventFields, source: TableSource) -> dict[str, pa.Array]:
    import pyarrow as pa
    import pyarrow.compute as pc

    nothing = pa.scalar(None, pa.int64())
    targets = _targets(given)
    columns = {
        **when_and_who(given, source),
        "order": given.order,
        "kind": arrow.constant(kind_of(event_name(given.type)), given.order, pa.string()),
        "target": arrow.named(targets, _TARGETS, number_if_unknown=True).cast(pa.string()),
        **target_positions(given, source.event_scope),
    }
    for name in _AS_STORED:
        columns[name] = given.stored(name) if name in given.names else pa.nulls(len(given), pa.int64())
    link = columns["ability_link"]
    real = pc.and_(pc.is_valid(link), pc.not_equal(link, NO_LINK))
    for name in _ABILITY:
        columns[name] = pc.if_else(real, columns[name], nothing)
    columns["target_player"] = arrow.player_numbers(columns["target_player"])
    for name in _OF_TARGET_UNIT:
        columns[name] = pc.if_else(pc.equal(targets, TARGET_UNIT), columns[name], nothing)
    return columns


@event_table(COMMANDS, *COMMAND_EVENTS)
def commands(game: EventStream, source: TableSource) -> pa.Table:
    """Return the table ``commands``: commands and their updates, in the order of the file."""
    import pyarrow as pa

    parts = [pa.table(_command_columns(game.of(type_), source)) for type_ in COMMAND_EVENTS if game.has(type_)]
    merged = pa.concat_tables(parts).sort_by("order")
    columns = {name: merged.column(name) for name in merged.column_names}
    updated, counts = _repeats(arrow.to_list(columns["kind"]), arrow.to_list(columns["user"]))
    for name in _ABILITY:
        columns[name] = columns[name].combine_chunks().take(pa.array(updated, pa.int64()))
    columns["updates"] = pa.array(counts, pa.int64())
    columns["ability"] = _abilities(columns["ability_link"], columns["ability_index"], source)
    columns["target_unit_type"] = _unit_types(columns["target_unit_link"], source)
    for name in ("kind", "target"):
        columns[name] = columns[name].dictionary_encode().combine_chunks()
    return COMMANDS.build({name: columns[name] for name in COMMANDS.column_names})


def _repeats(kinds: Sequence[str], users: Sequence[int | None]) -> tuple[list[int], list[int | None]]:
    """Return for each row that of the command that it is or repeats (itself where there is none before), and for
    each command how many updates repeat it."""
    last: dict[int | None, int] = {}
    updated: list[int] = []
    for row, (kind, user) in enumerate(zip(kinds, users, strict=True)):
        if kind == "command":
            last[user] = row
            updated.append(row)
        else:
            updated.append(last.get(user, row))
    found = Counter(updated)
    return updated, [found[row] - 1 if kind == "command" else None for row, kind in enumerate(kinds)]


def _abilities(links: pa.Array, indices: pa.ChunkedArray, source: TableSource) -> pa.Array:
    """Return the names of the commands' abilities."""
    import pyarrow as pa

    pairs = list(zip(arrow.to_list(links), arrow.to_list(indices), strict=True))
    known = {
        (link, index): None if link is None else source.event_scope.ability(link, index or 0)
        for link, index in set(pairs)
    }
    return pa.array(list(map(known.__getitem__, pairs)), pa.string()).dictionary_encode()


def _unit_types(links: pa.ChunkedArray, source: TableSource) -> pa.Array:
    """Return the names of the targets' unit types."""
    import pyarrow as pa

    values = arrow.to_list(links)
    known = {link: None if link is None else source.event_scope.unit(link) for link in set(values)}
    return pa.array([known[link] for link in values], pa.string()).dictionary_encode()
