"""Builds the tables of a replay, each from the parts that it needs."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from playhead.sc2.events.columns import Stream
from playhead.sc2.members import names as members
from playhead.sc2.members.fixed_layout import read_attributes, read_resumable, read_sync
from playhead.sc2.members.lobby import slot_rows
from playhead.sc2.protocol.tables import GAME, MESSAGE, TRACKER
from playhead.sc2.tables import game as event_tables
from playhead.sc2.tables import schemas as tables
from playhead.sc2.tables import tracker as tracker_tables
from playhead.tables.shared import CHAT

if TYPE_CHECKING:
    import pyarrow as pa

    from playhead.sc2.replay import Sc2Replay
    from playhead.tables.schema import TableSchema

_ALL_EVENTS = {tables.GAME_EVENTS: GAME, tables.MESSAGE_EVENTS: MESSAGE, tables.TRACKER_EVENTS: TRACKER}

_FROM_EVENTS: dict[TableSchema, tuple[str, Callable[[Stream, event_tables.Context], pa.Table]]] = {
    CHAT: (MESSAGE, event_tables.chat),
    tables.PINGS: (MESSAGE, event_tables.pings),
    tables.COMMANDS: (GAME, event_tables.commands),
    tables.SELECTIONS: (GAME, event_tables.selections),
    tables.CONTROL_GROUPS: (GAME, event_tables.control_groups),
    tables.CAMERA: (GAME, event_tables.camera),
    tables.INPUTS: (GAME, event_tables.inputs),
    tables.LEAVES: (GAME, event_tables.leaves),
    tables.APM: (GAME, event_tables.apm),
}


def build_tables(replay: Sc2Replay, names: Iterable[str]) -> dict[str, pa.Table]:
    """The named tables; what cannot be read makes them end early or be empty, and is noted as a problem."""
    wanted = frozenset(names)
    schemas = {schema.name: schema for schema in tables.ALL}
    # A stream is decoded once: with its text if any of the tables wants that.
    for schema, stream in _ALL_EVENTS.items():
        if schema.name in wanted:
            replay.stream(stream, text=True)
    return {name: _build(replay, schemas[name]) for name in wanted}


def _build(replay: Sc2Replay, schema: TableSchema) -> pa.Table:
    if schema is tables.MEMBERS:
        return schema.build_rows(replay.member_rows())
    context = replay.table_context
    if schema in _ALL_EVENTS:
        whole = replay.stream(_ALL_EVENTS[schema], text=True)
        return schema.build_rows([]) if whole is None else event_tables.all_events(schema, whole, context)
    if schema in _FROM_EVENTS:
        name, build = _FROM_EVENTS[schema]
        stream = replay.stream(name)
        return schema.build_rows([]) if stream is None else build(stream, context)
    if schema is tables.EVENT_COUNTS:
        found = {name: replay.stream(name) for name in (GAME, MESSAGE, TRACKER)}
        return event_tables.event_counts({name: held for name, held in found.items() if held is not None})
    if schema is tables.SLOTS:
        rows = [] if replay.lobby is None else slot_rows(replay.lobby, replay.players_by_lobby_user)
        return schema.build_rows(rows)
    if schema is tables.SYNC:
        checks = replay.decode_member(members.SYNC_EVENTS, read_sync, "the table sync")
        return event_tables.sync(checks or (), context.rate)
    if schema in (tables.ATTRIBUTES, tables.RESUME_POINTS):
        return schema.build_rows(_small_rows(replay, schema, context))
    tracker = replay.stream(TRACKER)
    if tracker is None or not tracker.kinds:
        return schema.build_rows([])
    return _from_tracker(schema, tracker, context.rate, replay.tracker_cells)


def _from_tracker(schema: TableSchema, tracker: Stream, rate: float, cells: float) -> pa.Table:
    if schema is tables.UNITS:
        return tracker_tables.units(tracker, cells)
    if schema is tables.UNIT_CHANGES:
        return schema.build_rows(tracker_tables.unit_change_rows(tracker, rate))
    if schema is tables.POSITIONS:
        return tracker_tables.positions(tracker, cells, rate)
    if schema is tables.BUILD_ORDER:
        return schema.build_rows(tracker_tables.build_order_rows(tracker, rate))
    if schema is tables.PLAYER_STATS:
        return tracker_tables.player_stats(tracker, rate)
    if schema is tables.SUPPLY:
        return tracker_tables.supply(tracker, rate)
    if schema is tables.UPGRADES:
        return tracker_tables.upgrades(tracker, rate)
    raise ValueError(f"table {schema.name} has no builder")


def check_small_members(replay: Sc2Replay) -> None:
    """Read the members of fixed layout, for their problems alone."""
    replay.decode_member(members.SYNC_EVENTS, read_sync, "the table sync")
    for schema in (tables.ATTRIBUTES, tables.RESUME_POINTS):
        _small_rows(replay, schema, replay.table_context)


def _small_rows(replay: Sc2Replay, schema: TableSchema, context: event_tables.Context) -> list[dict[str, Any]]:
    if schema is tables.ATTRIBUTES:
        attributes = replay.decode_member(
            members.GAME_ATTRIBUTES, lambda data: read_attributes(data, context.build), "the table attributes"
        )
        return [row._asdict() for row in attributes or ()]
    points = replay.decode_member(
        members.RESUMABLE, lambda data: read_resumable(data, context.build), "the table resume_points"
    )
    return [
        point._asdict()
        | {
            "seconds": point.tick / context.rate,
            "user": None if point.user == event_tables.NO_USER else point.user,
        }
        for point in points or ()
    ]
