"""Tables of what fills the file: every message, every position, every input."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from playhead.tables import Column, TableSchema
from playhead.tables.arrow import category, constant, null_below_zero, seconds_of
from playhead.tables.shared import INPUTS as SHARED_INPUTS
from playhead.tables.shared import POSITIONS as SHARED_POSITIONS
from playhead.tables.shared import SECONDS, TICK
from playhead.teehistorian.state.holders import Holders
from playhead.teehistorian.stream.extensions import ExtensionNames
from playhead.teehistorian.stream.header import Header
from playhead.teehistorian.stream.inputs import INPUT_FIELDS
from playhead.teehistorian.stream.messages import TICKS_PER_SECOND, MessageKind
from playhead.teehistorian.tables.collector import BulkCollector
from playhead.teehistorian.tables.columns import CLIENT, NAME, SESSION

if TYPE_CHECKING:
    import pyarrow as pa

    from playhead.tables.int32_columns import Int32Columns

_KINDS = [kind.name.lower() for kind in sorted(MessageKind, reverse=True)]
_WHO = (CLIENT, SESSION, Column(NAME.name, "category", NAME.doc))
_EVENTS = ["appeared", "moved", "gone"]


class Messages(BulkCollector):
    """Makes table ``messages``."""

    fills = "messages"
    schema = TableSchema(
        name="messages",
        version=2,
        doc="One row for each message of the stream.",
        columns=(
            TICK,
            SECONDS,
            Column("kind", "category", "player_diff, finish, tick_skip, player_new … extra."),
            Column("client", "int32", "Client id the message is about; null where it is about none."),
            SESSION,
            Column("bytes", "int32", "Length of the whole message.", "bytes"),
            Column("offset", "int64", "Where it begins in the (decompressed) file.", "bytes"),
            Column("extension", "category", "Name of an extra message, its UUID if nothing names it; else null."),
        ),
    )

    def __init__(self, header: Header) -> None:
        super().__init__(header)
        self._offset = header.size
        self._names = ExtensionNames(header.extension_names)

    def piece(self) -> pa.Table:
        """Return the next rows; messages follow each other without a gap, so their sizes give their offsets."""
        import pyarrow as pa
        import pyarrow.compute as pc

        tick, kind, client, size, extension, holder = self._columns.message_columns.to_arrow()
        names = [self._names[uuid] for uuid in self._columns.extension_codes]
        long_size = size.cast(pa.int64())
        offset = pc.subtract(pc.cumulative_sum(long_size, start=self._offset), long_size)
        if len(offset):
            self._offset = offset[-1].as_py() + size[-1].as_py()
        return self.schema.build(
            {
                "tick": tick,
                "seconds": seconds_of(tick, TICKS_PER_SECOND),
                "kind": category(kind, _KINDS),
                "client": null_below_zero(client),
                "session": self._holders.sessions(holder),
                "bytes": size,
                "offset": offset,
                "extension": category(null_below_zero(extension), names),
            }
        )


class Positions(BulkCollector):
    """Makes table ``positions``."""

    fills = "positions"
    schema = TableSchema(
        name="positions",
        version=3,
        doc="One row whenever a tee appears, moves or is gone; a tee without a row stays where it was.",
        columns=(
            *SHARED_POSITIONS.columns,
            *_WHO,
            Column("event", "category", "appeared, moved, or gone (x and y are then where it was last)."),
        ),
    )

    def piece(self) -> pa.Table:
        return positions_table(self._columns.position_columns, self._holders)


def positions_table(columns: Int32Columns, holders: Holders) -> pa.Table:
    """Return table ``positions`` of the rows in `columns`."""
    tick, client, x, y, event, holder = columns.to_arrow()
    return Positions.schema.build(
        {
            "tick": tick,
            "seconds": seconds_of(tick, TICKS_PER_SECOND),
            **_who(client, holder, tick, holders),
            "x": x,
            "y": y,
            "event": category(event, _EVENTS),
        }
    )


def _who(
    client: pa.ChunkedArray, holder: pa.ChunkedArray, tick: pa.ChunkedArray, holders: Holders
) -> dict[str, pa.ChunkedArray]:
    sessions = holders.sessions(holder)
    return {"player": sessions, "client": client, "session": sessions, "name": holders.names(holder, tick)}


class Inputs(BulkCollector):
    """Makes table ``inputs``."""

    fills = "inputs"
    schema = TableSchema(
        name="inputs",
        version=3,
        doc="One row for each recorded input, whole, at the tick that it acts on; `kind` is always input. Nothing "
        "is recorded while an input stays the same. Before version_minor 11 a client can have two rows on a tick, "
        "of which the last acts. Before version_minor 4 the first row of a player can repeat what the player "
        "before it in the slot pressed.",
        columns=(
            *SHARED_INPUTS.columns,
            *_WHO,
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
                "1 playing, 2 in menu, 4 chatting, 8 scoreboard, 16 aim line, 32 spectator camera, 64 absolute "
                "input, 128 manual input.",
            ),
            Column("wanted_weapon", "int32", "0 none, else number of the weapon plus 1."),
            Column("next_weapon", "int32", "Counts as `fire`."),
            Column("prev_weapon", "int32", "Counts as `fire`."),
            Column("replaces", "bool", "It replaces the client's row before it, which is for the same tick."),
        ),
    )

    def piece(self) -> pa.Table:
        return inputs_table(self._columns.input_columns, self._holders)


def inputs_table(columns: Int32Columns, holders: Holders) -> pa.Table:
    """Return table ``inputs`` of the rows in `columns`."""
    tick, recorded, client, *values, replaces, holder = columns.to_arrow()
    filled: dict[str, Any] = {
        "tick": tick,
        "seconds": seconds_of(tick, TICKS_PER_SECOND),
        "recorded_tick": recorded,
        **_who(client, holder, tick, holders),
        "kind": constant("input", tick),
        "replaces": replaces.cast("bool"),
    }
    filled.update(zip(INPUT_FIELDS, values, strict=True))
    return Inputs.schema.build(filled)
