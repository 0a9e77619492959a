"""Tables of what fills the file: every message, every position, every input."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any
from uuid import UUID

from playhead.tables import Column, TableSchema
from playhead.tables.shared import INPUTS as SHARED_INPUTS
from playhead.tables.shared import POSITIONS as SHARED_POSITIONS
from playhead.tables.shared import SECONDS, TICK
from playhead.teehistorian.stream.extensions import ExtensionNames
from playhead.teehistorian.stream.messages import MessageKind
from playhead.teehistorian.tables.columns import category, constant_category, seconds

if TYPE_CHECKING:
    import pyarrow as pa

    from playhead.tables.int32_columns import Int32Columns

MESSAGES = TableSchema(
    name="messages",
    version=1,
    doc="One row for each message of the stream.",
    columns=(
        TICK,
        SECONDS,
        Column("kind", "category", "player_diff, finish, tick_skip, player_new … extra."),
        Column("client", "int32", "Client id the message is about; null where it is about none."),
        Column("bytes", "int32", "Length of the whole message.", "bytes"),
        Column("offset", "int64", "Where it begins in the (decompressed) file.", "bytes"),
        Column("extension", "category", "Name of an extra message, its UUID if nothing names it; else null."),
    ),
)

POSITIONS = TableSchema(
    name="positions",
    version=2,
    doc="One row whenever a tee appears, moves or is gone; a tee without a row stays where it was.",
    columns=(
        *SHARED_POSITIONS.columns,
        Column("event", "category", "appeared, moved, or gone (x and y are then where it was last)."),
    ),
)

INPUTS = TableSchema(
    name="inputs",
    version=2,
    doc="One row for each recorded input, whole, at the tick that it acts on; `kind` is always input. Nothing is "
    "recorded while an input stays the same. Before version_minor 11 a client can have two rows on a tick, of "
    "which the last acts. Before version_minor 4 the first row of a player can repeat what the player before it "
    "in the slot pressed.",
    columns=(
        *SHARED_INPUTS.columns,
        Column("recorded_tick", "int32", "Tick in whose section it is recorded, one before `tick`.", "ticks"),
        Column("direction", "int32", "-1 left, 0, 1 right."),
        Column("target_x", "int32", "Aim, relative to the tee, to the right.", "cursor units"),
        Column("target_y", "int32", "Aim, relative to the tee, downwards.", "cursor units"),
        Column("jump", "int32", "1 while pressed."),
        Column("fire", "int32", "Counts presses and releases; odd while pressed; compare modulo 64."),
        Column("hook", "int32", "1 while pressed."),
        Column(
            "player_flags",
            "int32",
            "1 playing, 2 in menu, 4 chatting, 8 scoreboard, 16 aim line, 32 spectator camera, 64 absolute input, "
            "128 manual input.",
        ),
        Column("wanted_weapon", "int32", "0 none, else number of the weapon plus 1."),
        Column("next_weapon", "int32", "Counts as `fire`."),
        Column("prev_weapon", "int32", "Counts as `fire`."),
        Column("replaces", "bool", "It replaces the client's row before it, which is for the same tick."),
    ),
)

_KINDS = [kind.name.lower() for kind in sorted(MessageKind, reverse=True)]
_EVENTS = ["appeared", "moved", "gone"]


def _null_below_zero(values: pa.ChunkedArray) -> pa.ChunkedArray:
    import pyarrow as pa
    import pyarrow.compute as pc

    return pc.if_else(pc.less(values, 0), pa.scalar(None, pa.int32()), values)


def build_messages(
    columns: Int32Columns, extensions: Iterable[UUID], names: ExtensionNames, first_offset: int
) -> pa.Table:
    """Table ``messages``; messages follow each other without a gap, so their sizes give their offsets."""
    import pyarrow as pa
    import pyarrow.compute as pc

    tick, kind, client, size, extension = columns.to_arrow()
    long_size = size.cast(pa.int64())
    offset = pc.subtract(pc.cumulative_sum(long_size, start=first_offset), long_size)
    return MESSAGES.build(
        {
            "tick": tick,
            "seconds": seconds(tick),
            "kind": category(kind, _KINDS),
            "client": _null_below_zero(client),
            "bytes": size,
            "offset": offset,
            "extension": category(_null_below_zero(extension), [names[uuid] for uuid in extensions]),
        }
    )


def build_positions(columns: Int32Columns) -> pa.Table:
    """Table ``positions``."""
    tick, client, x, y, event = columns.to_arrow()
    return POSITIONS.build(
        {
            "tick": tick,
            "seconds": seconds(tick),
            "player": client,
            "x": x,
            "y": y,
            "event": category(event, _EVENTS),
        }
    )


def build_inputs(columns: Int32Columns) -> pa.Table:
    """Table ``inputs``."""
    tick, recorded, client, *values, replaces = columns.to_arrow()
    filled: dict[str, Any] = {"tick": tick, "seconds": seconds(tick), "recorded_tick": recorded, "player": client}
    filled["kind"] = constant_category("input", tick)
    filled.update(zip(INPUTS.column_names[5:-1], values, strict=True))
    filled["replaces"] = replaces.cast("bool")
    return INPUTS.build(filled)
