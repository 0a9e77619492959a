"""Tables made of the game and message events."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from playhead.sc2.events.base import COARSE, FINE, kind_of
from playhead.sc2.events.columns import Fields, Stream, short_name
from playhead.sc2.events.commands import NO_LINK
from playhead.sc2.events.messages import CHANNELS
from playhead.sc2.members.header import FIRST_TAGGED_BUILD
from playhead.sc2.state.selection import (
    ACTIVE,
    GROUP_ACTIONS,
    GROUP_EVENT,
    REMOVALS,
    SELECTION_EVENT,
    Change,
    SelectionTimeline,
    removals,
)
from playhead.sc2.tables import schemas as tables
from playhead.tables.shared import CHAT

if TYPE_CHECKING:
    import pyarrow as pa

    from playhead.sc2.members.fixed_layout import SyncCheck
    from playhead.tables.schema import TableSchema

#: User id of the game itself.
NO_USER = 16
#: What players do, by event.
_INPUTS = {
    "SCmdEvent": "command",
    "SCmdUpdateTargetPointEvent": "update_point",
    "SCmdUpdateTargetUnitEvent": "update_unit",
    SELECTION_EVENT: "selection",
    GROUP_EVENT: "control_group",
    "SCameraUpdateEvent": "camera",
}
_TARGETS = ("none", "point", "unit", "data")


@dataclass(frozen=True, slots=True)
class Context:
    """What the tables need to know of the replay: build, loops in a second, players and names by user, and the
    name of an ability's command by link and index.

    `taken_over` is when the game was resumed from a replay, and the names by user from then on; the numbers of
    users and players stay (in the replays at hand the user who takes over commands the same player's units).
    """

    build: int
    rate: float
    players: Mapping[int, int]
    names: Mapping[int, str | None]
    find_taken_over: Callable[[], tuple[int, Mapping[int, str | None]] | None] = lambda: None
    ability: Callable[[int, int], str | None] = lambda link, index: None

    @property
    def taken_over(self) -> tuple[int, Mapping[int, str | None]] | None:
        """Loop and names; the first access decodes the game's events, since nothing else tells."""
        return self.find_taken_over()


def _lookup(users: pa.Array, mapping: Mapping[int, Any], type_: pa.DataType) -> pa.Array:
    import pyarrow as pa
    import pyarrow.compute as pc

    keys = pa.array(list(mapping), users.type)
    return pa.array(list(mapping.values()), type_).take(pc.index_in(users, value_set=keys))


def when_and_who(tick: pa.Array, user: pa.Array, context: Context) -> dict[str, pa.Array]:
    """The columns tick, seconds, user and player."""
    import pyarrow as pa
    import pyarrow.compute as pc

    real = pc.if_else(pc.less(user, NO_USER), user, pa.scalar(None, pa.int32()))
    return {
        "tick": tick,
        "seconds": pc.divide(tick.cast(pa.float64()), context.rate),
        "user": real,
        "player": _lookup(real, context.players, pa.int32()),
    }


def _named(numbers: pa.Array, names: Sequence[str]) -> pa.Array:
    """Numbers as names; a number without one as itself."""
    import pyarrow as pa
    import pyarrow.compute as pc

    found = numbers.unique().drop_null().to_pylist()
    words = [names[number] if 0 <= number < len(names) else str(number) for number in found]
    places = pc.index_in(numbers, value_set=pa.array(found, numbers.type))
    return pa.DictionaryArray.from_arrays(places, pa.array(words, pa.string()))


def _scaled(values: pa.Array, unit: float) -> pa.Array:
    import pyarrow as pa
    import pyarrow.compute as pc

    return pc.divide(values.cast(pa.float64()), unit)


def all_events(schema: TableSchema, stream: Stream, context: Context) -> pa.Table:
    """``game_events``, ``message_events`` or ``tracker_events``: the stream as it is."""
    import pyarrow as pa
    import pyarrow.compute as pc

    numbers = stream.number.unique().to_pylist()
    names = [
        short_name(stream.names[number]) if number in stream.names else f"event {number}" for number in numbers
    ]
    places = pc.index_in(stream.number, value_set=pa.array(numbers, pa.int32()))
    columns = when_and_who(stream.tick, stream.user, context)
    columns["event"] = pa.DictionaryArray.from_arrays(places, pa.array(names, pa.string()))
    columns["fields"] = stream.text
    return schema.build({name: columns[name] for name in schema.column_names})


def event_counts(streams: Mapping[str, Stream]) -> pa.Table:
    """The table ``event_counts``."""
    import pyarrow as pa

    rows = []
    for stream, held in streams.items():
        counted = pa.table({"number": held.number, "tick": held.tick}).group_by("number", use_threads=False)
        for row in counted.aggregate([("tick", "count"), ("tick", "first"), ("tick", "last")]).to_pylist():
            number = row["number"]
            name = short_name(held.names[number]) if number in held.names else f"event {number}"
            rows.append(
                {
                    "stream": stream,
                    "event": name,
                    "kind": kind_of(name),
                    "number": number,
                    "known": number in held.names,
                    "count": row["tick_count"],
                    "first_tick": row["tick_first"],
                    "last_tick": row["tick_last"],
                }
            )
    return tables.EVENT_COUNTS.build_rows(rows)


def chat(stream: Stream, context: Context) -> pa.Table:
    """The table ``chat``."""
    import pyarrow as pa
    import pyarrow.compute as pc

    lines = stream.kinds["SChatMessage"]
    columns = when_and_who(lines.tick, lines.user, context)
    users = columns.pop("user")
    columns["name"] = _lookup(users, context.names, pa.string())
    if context.taken_over is not None:
        since, names = context.taken_over
        later = pc.greater_equal(lines.tick, since)
        columns["name"] = pc.if_else(later, _lookup(users, names, pa.string()), columns["name"])
    columns["channel"] = _named(lines.get("m_recipient"), CHANNELS)
    columns["text"] = lines.get("m_string").cast(pa.string())
    return CHAT.build(columns)


def sync(checks: Iterable[SyncCheck], rate: float) -> pa.Table:
    """The table ``sync``."""
    import pyarrow as pa
    import pyarrow.compute as pc

    ticks, flags, checksums = zip(*checks, strict=True) if checks else ((), (), ())
    tick = pa.array(ticks, pa.int32())
    return tables.SYNC.build(
        {
            "tick": tick,
            "seconds": pc.divide(tick.cast(pa.float64()), rate),
            "flag": pa.array(flags, pa.int64()),
            "checksum": pa.array(checksums, pa.int64()),
        }
    )


def pings(stream: Stream, context: Context) -> pa.Table:
    """The table ``pings``."""
    sent = stream.kinds["SPingMessage"]
    return tables.PINGS.build(
        {
            **when_and_who(sent.tick, sent.user, context),
            "channel": _named(sent.get("m_recipient"), CHANNELS),
            "x": _scaled(sent.get("m_point.x"), FINE),
            "y": _scaled(sent.get("m_point.y"), FINE),
        }
    )


def _constant(count: int, value: Any, type_: pa.DataType) -> pa.Array:
    import pyarrow as pa

    return pa.repeat(pa.scalar(value, type_), count)


def _first(*columns: pa.Array) -> pa.Array:
    import pyarrow.compute as pc

    return pc.coalesce(*columns)


def _old_target(given: Fields) -> pa.Array:
    """What a command of build 15405 is aimed at; the table has all targets in every command."""
    import pyarrow.compute as pc

    spots = [pc.not_equal(given.get(f"m_targetPoint.{axis}"), 0) for axis in "xyz"]
    point = pc.or_(pc.or_(spots[0], spots[1]), spots[2])
    return pc.if_else(pc.not_equal(given.get("m_targetUnitTag"), 0), 2, pc.if_else(point, 1, 0))


def _command_columns(given: Fields, kind: str, prefix: str, context: Context) -> dict[str, pa.Array]:
    import pyarrow as pa
    import pyarrow.compute as pc

    count = len(given.order)
    unit, point = ("m_target.", "m_target.") if prefix else ("m_data.TargetUnit.", "m_data.TargetPoint.")
    if kind == "update_point":
        target = _constant(count, 1, pa.int64())
        unit = "none."
    elif kind == "update_unit":
        target = _constant(count, 2, pa.int64())
        point = "none."
    elif "m_targetUnitTag" in given.columns:
        target = _old_target(given)
    else:
        target = given.get("m_data#")
    link = given.get("m_abil.m_abilLink", "m_abilLink")
    real = pc.and_(pc.is_valid(link), pc.not_equal(link, NO_LINK))
    nothing = pa.scalar(None, pa.int64())
    spots = {
        axis: _scaled(
            _first(
                given.get(point + axis),
                given.get(unit + "m_snapshotPoint." + axis),
                given.get(f"m_targetPoint.{axis}"),
            ),
            FINE,
        )
        for axis in "xyz"
    }
    aimed = pc.is_in(target, value_set=pa.array([1, 2], pa.int64()))
    aimed_unit = pc.equal(target, 2)
    columns = {
        **when_and_who(given.tick, given.user, context),
        "order": given.order,
        "kind": _constant(count, kind, pa.string()),
        "flags": given.get("m_cmdFlags"),
        "ability_link": pc.if_else(real, link, nothing),
        "ability_index": pc.if_else(real, given.get("m_abil.m_abilCmdIndex", "m_abilCmdIndex"), nothing),
        "ability_data": pc.if_else(real, given.get("m_abil.m_abilCmdData", "m_abilCmdData"), nothing),
        "target": _named(target, _TARGETS).cast(pa.string()),
        "target_unit": pc.if_else(aimed_unit, given.get(unit + "m_tag", "m_targetUnitTag"), nothing),
        "target_unit_link": pc.if_else(
            aimed_unit, given.get(unit + "m_snapshotUnitLink", "m_targetUnitSnapshotUnitLink"), nothing
        ),
        "target_player": given.get(
            unit + "m_snapshotControlPlayerId", unit + "m_snapshotPlayerId", "m_targetUnitSnapshotPlayerId"
        ),
        "data": given.get("m_data.Data"),
        "sequence": given.get("m_sequence"),
        "other_unit": given.get("m_otherUnit"),
    }
    for axis, values in spots.items():
        columns[axis] = pc.if_else(aimed, values, pa.scalar(None, pa.float64()))
    schema = tables.COMMANDS.arrow()
    for name in ("ability_link", "ability_index", "ability_data", "target_unit_link", "target_player"):
        columns[name] = columns[name].cast(schema.field(name).type)
    return columns


def commands(stream: Stream, context: Context) -> pa.Table:
    """The table ``commands``: commands and their updates, in the order of the file."""
    import pyarrow as pa

    parts = []
    for event, kind in (
        ("SCmdEvent", "command"),
        ("SCmdUpdateTargetPointEvent", "update_point"),
        ("SCmdUpdateTargetUnitEvent", "update_unit"),
    ):
        if event in stream.kinds:
            parts.append(
                pa.table(_command_columns(stream.kinds[event], kind, "" if kind == "command" else kind, context))
            )
    merged = pa.concat_tables(parts).sort_by("order")
    columns = {name: merged.column(name) for name in merged.column_names}
    updated, counts = _repeats(columns["kind"].to_pylist(), columns["user"].to_pylist())
    for name in ("ability_link", "ability_index", "ability_data"):
        columns[name] = columns[name].combine_chunks().take(pa.array(updated, pa.int64()))
    columns["updates"] = pa.array(counts, pa.int64())
    columns["ability"] = _abilities(columns["ability_link"], columns["ability_index"], context)
    for name in ("kind", "target"):
        columns[name] = columns[name].dictionary_encode().combine_chunks()
    return tables.COMMANDS.build({name: columns[name] for name in tables.COMMANDS.column_names})


def _repeats(kinds: Sequence[str], users: Sequence[int | None]) -> tuple[list[int], list[int | None]]:
    """For each row the row of the command that it is or repeats (itself where there is none before), and for each
    command how many updates repeat it."""
    last: dict[int | None, int] = {}
    updated: list[int] = []
    counts: list[int | None] = []
    for row, (kind, user) in enumerate(zip(kinds, users, strict=True)):
        if kind == "command":
            last[user] = row
            counts.append(0)
        else:
            counts.append(None)
            if user in last:
                counts[last[user]] = (counts[last[user]] or 0) + 1
        updated.append(last.get(user, row))
    return updated, counts


def _abilities(links: pa.Array, indices: pa.ChunkedArray, context: Context) -> pa.Array:
    """Names of the commands' abilities."""
    import pyarrow as pa

    known: dict[tuple[int | None, int | None], str | None] = {}
    names = []
    for pair in zip(links.to_pylist(), indices.to_pylist(), strict=True):
        if pair not in known:
            link, index = pair
            known[pair] = None if link is None else context.ability(link, index or 0)
        names.append(known[pair])
    return pa.array(names, pa.string()).dictionary_encode()


def _removal(stream: Stream, event: str) -> dict[str, pa.Array]:
    """What is removed: the kind of removal, and the places."""
    import pyarrow as pa

    kinds, places = removals(stream, event)
    return {
        "remove": _named(pa.array(kinds, pa.int64()), REMOVALS),
        "remove_indices": pa.array(places, pa.list_(pa.int64())),
    }


def _changes(stream: Stream) -> list[Change]:
    return list(SelectionTimeline(stream).changes())


def _units_after(stream: Stream, is_use: bool) -> pa.Array:
    import pyarrow as pa

    changes = stream.once("changes of selections", _changes)
    units = [change.units for change in changes if change.is_use == is_use]
    return pa.array(units, pa.list_(pa.int64()))


def selections(stream: Stream, context: Context) -> pa.Table:
    """The table ``selections``."""
    changes = stream.kinds[SELECTION_EVENT]
    return tables.SELECTIONS.build(
        {
            **when_and_who(changes.tick, changes.user, context),
            "group": changes.get("m_controlGroupId"),
            "subgroup": changes.get("m_delta.m_subgroupIndex"),
            **_removal(stream, SELECTION_EVENT),
            "added_links": changes.get("m_delta.m_addSubgroups.m_unitLink"),
            "added_counts": changes.get("m_delta.m_addSubgroups.m_count"),
            "added_units": changes.get("m_delta.m_addUnitTags"),
            "units": _units_after(stream, is_use=False),
        }
    )


def control_groups(stream: Stream, context: Context) -> pa.Table:
    """The table ``control_groups``."""
    uses = stream.kinds[GROUP_EVENT]
    return tables.CONTROL_GROUPS.build(
        {
            **when_and_who(uses.tick, uses.user, context),
            "group": uses.get("m_controlGroupIndex"),
            "action": _named(uses.get("m_controlGroupUpdate"), GROUP_ACTIONS),
            **_removal(stream, GROUP_EVENT),
            "units": _units_after(stream, is_use=True),
        }
    )


def camera(stream: Stream, context: Context) -> pa.Table:
    """The table ``camera``."""
    moves = stream.kinds["SCameraUpdateEvent"]
    unit = FINE if context.build < FIRST_TAGGED_BUILD else COARSE
    return tables.CAMERA.build(
        {
            **when_and_who(moves.tick, moves.user, context),
            "x": _scaled(moves.get("m_target.x"), unit),
            "y": _scaled(moves.get("m_target.y"), unit),
            "distance": moves.get("m_distance"),
            "pitch": moves.get("m_pitch"),
            "yaw": moves.get("m_yaw"),
            "reason": moves.get("m_reason"),
        }
    )


def inputs(stream: Stream, context: Context) -> pa.Table:
    """The table ``inputs``."""
    import pyarrow as pa

    unit = FINE if context.build < FIRST_TAGGED_BUILD else COARSE
    parts = []
    for event, kind in _INPUTS.items():
        if event not in stream.kinds:
            continue
        done = stream.kinds[event]
        spots: dict[str, pa.Array] = {axis: pa.nulls(len(done.tick), pa.float64()) for axis in ("x", "y")}
        if kind == "camera":
            spots = {axis: _scaled(done.get(f"m_target.{axis}"), unit) for axis in ("x", "y")}
        elif kind not in ("selection", "control_group"):
            found = _command_columns(done, kind, "" if kind == "command" else kind, context)
            spots = {axis: found[axis] for axis in ("x", "y")}
        who = when_and_who(done.tick, done.user, context)
        kinds = _constant(len(done.tick), kind, pa.string())
        parts.append(pa.table({"order": done.order, **who, "kind": kinds, **spots}))
    if not parts:
        return tables.INPUTS.build_rows([])
    merged = pa.concat_tables(parts).sort_by("order")
    columns = {name: merged.column(name) for name in tables.INPUTS.column_names}
    columns["kind"] = columns["kind"].dictionary_encode().combine_chunks()
    return tables.INPUTS.build(columns)


def leaves(stream: Stream, context: Context) -> pa.Table:
    """The table ``leaves``."""
    gone = stream.kinds.get("SGameUserLeaveEvent") or stream.kinds["SPlayerLeaveEvent"]
    return tables.LEAVES.build(
        {**when_and_who(gone.tick, gone.user, context), "reason": gone.get("m_leaveReason")}
    )


def apm(stream: Stream, context: Context) -> pa.Table:
    """The table ``apm``."""
    import pyarrow as pa
    import pyarrow.compute as pc

    parts = []
    for event in (
        "SCmdEvent",
        "SCmdUpdateTargetPointEvent",
        "SCmdUpdateTargetUnitEvent",
        "SSelectionDeltaEvent",
        "SControlGroupUpdateEvent",
    ):
        if event not in stream.kinds:
            continue
        done = stream.kinds[event]
        acts = pa.table({"user": done.user, "tick": done.tick})
        if event == "SSelectionDeltaEvent":
            acts = acts.filter(pc.equal(done.get("m_controlGroupId"), ACTIVE))
        parts.append(acts)
    acts = pa.concat_tables(parts)
    acts = acts.filter(pc.less(acts["user"], NO_USER))
    minute = pc.floor(pc.divide(acts["tick"].cast(pa.float64()), context.rate * 60)).cast(pa.int32())
    counted = acts.append_column("minute", minute).group_by(["user", "minute"]).aggregate([("tick", "count")])
    counted = counted.sort_by([("user", "ascending"), ("minute", "ascending")]).combine_chunks()
    users = counted["user"].combine_chunks()
    return tables.APM.build(
        {
            "user": users,
            "player": _lookup(users, context.players, pa.int32()),
            "minute": counted["minute"],
            "actions": counted["tick_count"],
        }
    )
