"""Tables ``messages``, ``positions`` and ``inputs``, which have nearly all bytes of a file."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import ClassVar, Self

from playhead.runtime.libraries import pa, pc
from playhead.tables import Column, TableSchema
from playhead.tables.arrow import by_chunk, category, constant, float32_of, null_below_zero
from playhead.tables.int32_columns import Int32Columns, float64_of
from playhead.tables.shared import INPUTS as SHARED_INPUTS
from playhead.tables.shared import POSITIONS as SHARED_POSITIONS
from playhead.tables.value_arrays import array_of, scalar_of
from playhead.tables.vocabulary import word, words
from playhead.teehistorian.stream.column_pass import ColumnPass
from playhead.teehistorian.stream.extensions import ExtensionNames
from playhead.teehistorian.stream.header import Header
from playhead.teehistorian.stream.inputs import INPUT_FIELDS
from playhead.teehistorian.stream.messages import TICKS_PER_SECOND, WEAPONS, MessageKind
from playhead.teehistorian.tables import TABLES
from playhead.teehistorian.tables.builder import BulkBuilder, Makers

_MESSAGES = [kind.name.lower() for kind in sorted(MessageKind, reverse=True)]
_EVENTS = ["appeared", "moved", "gone"]


def _always(column: pa.ChunkedArray) -> Callable[[], pa.ChunkedArray]:
    return lambda: column


MESSAGES = TableSchema.of(
    "messages",
    "One row for each message of the stream.",
    *words("tick seconds"),
    word("message", "player_diff, finish, tick_skip, player_new … extra."),
    word("client", "Null for a message about no client."),
    *words("player bytes offset"),
    Column("extension", "category", "Name of an extra message, its UUID if nothing names it; else null."),
    group="messages",
)


@TABLES.maker_of(MESSAGES)
class Messages(BulkBuilder):
    """Builds table ``messages``."""

    fills = "messages"

    def __init__(self, header: Header) -> None:
        super().__init__(header)
        self._offset = header.size
        self._names = ExtensionNames(header.extension_names)

    def attach(self, columns: ColumnPass) -> None:
        super().attach(columns)
        self._codes = columns.extension_codes

    def again(self, offset: int) -> Self:
        made = super().again(offset)
        made._offset = offset
        return made

    made_of: ClassVar[Mapping[str, tuple[int, ...]]] = {
        "tick": (0,),
        "seconds": (0,),
        "message": (1,),
        "client": (2,),
        "player": (5,),
        "bytes": (3,),
        "offset": (3,),
        "extension": (4,),
    }

    @staticmethod
    def filled(columns: ColumnPass) -> Int32Columns:
        return columns.message_columns

    def makers(self, columns: Sequence[pa.ChunkedArray]) -> Makers:
        """Messages have no gaps between them, so offsets are sums of sizes."""
        tick, kind, client, size, extension, player = columns
        return {
            "tick": lambda: tick,
            "seconds": lambda: float64_of(tick, TICKS_PER_SECOND),
            "message": lambda: category(kind, _MESSAGES),
            "client": lambda: null_below_zero(client),
            "player": lambda: null_below_zero(player),
            "bytes": lambda: size.cast(pa.int64()),
            "offset": lambda: self._offsets(size),
            "extension": lambda: category(null_below_zero(extension), [self._names[uuid] for uuid in self._codes]),
        }

    def _offsets(self, size: pa.ChunkedArray) -> pa.ChunkedArray:
        long_size = size.cast(pa.int64())
        offset = pc.subtract(pc.cumulative_sum(long_size, start=scalar_of(self._offset, pa.int64())), long_size)
        if len(offset):
            self._offset = offset[-1].as_py() + size[-1].as_py()
        return offset


POSITIONS = TableSchema.of(
    "positions",
    "One row whenever a tee appears, moves or is gone; a tee without a row stays where it was.",
    *SHARED_POSITIONS.columns,
    *words("client"),
    word("event", "appeared, moved, or gone (x and y are then where it was last)."),
    group="series",
)


@TABLES.maker_of(POSITIONS)
class Positions(BulkBuilder):
    """Builds table ``positions``."""

    fills = "positions"

    made_of: ClassVar[Mapping[str, tuple[int, ...]]] = {
        "tick": (0,),
        "seconds": (0,),
        "player": (5,),
        "client": (1,),
        "x": (2,),
        "y": (3,),
        "event": (4,),
    }

    @staticmethod
    def filled(columns: ColumnPass) -> Int32Columns:
        return columns.position_columns

    def makers(self, columns: Sequence[pa.ChunkedArray]) -> Makers:
        tick, client, x, y, event, player = columns
        return {
            "tick": lambda: tick,
            "seconds": lambda: float64_of(tick, TICKS_PER_SECOND),
            "player": lambda: null_below_zero(player),
            "client": lambda: client,
            "x": lambda: float32_of(x),
            "y": lambda: float32_of(y),
            "event": lambda: category(event, _EVENTS),
        }


INPUTS = TableSchema.of(
    "inputs",
    "One row for each recorded input, whole, at the tick that it acts on; `kind` is always input. Nothing "
    "is recorded while an input stays the same. Before version_minor 11 a client can have several rows on a tick: "
    "the first moves the tee, all of them fire. Before version_minor 4 the first row of a player can repeat what "
    "the player before it in the slot pressed.",
    *SHARED_INPUTS.columns,
    *words("client"),
    Column("recorded_tick", "int32", "Tick in whose section it is recorded, one before `tick`.", "ticks"),
    word("direction", "What is pressed."),
    Column("cursor_x", "float32", "Aim, relative to the tee, to the right.", "cursor units"),
    Column("cursor_y", "float32", "Aim, relative to the tee, downwards.", "cursor units"),
    Column("jump", "int32", "1 while pressed."),
    Column("fire", "int32", "Counts presses and releases; odd while pressed; compare modulo 64."),
    Column("hook", "int32", "1 while pressed."),
    Column(
        "player_flags",
        "int32",
        "1 playing, 2 in menu, 4 chatting, 8 scoreboard, 16 aim line, 32 spectator camera, 64 absolute "
        "input, 128 manual input.",
    ),
    Column("wanted_weapon", "category", f"{', '.join(WEAPONS)}; null for none."),
    Column("wanted_weapon_id", "int64", "0 none, else number of the weapon plus 1."),
    Column("next_weapon", "int32", "Counts as `fire`."),
    Column("prev_weapon", "int32", "Counts as `fire`."),
    Column(
        "replaces", "bool", "The client's row before it is for the same tick; the first of a tick moves, all fire."
    ),
    group="log",
)


@TABLES.maker_of(INPUTS)
class Inputs(BulkBuilder):
    """Builds table ``inputs``."""

    fills = "inputs"

    made_of: ClassVar[Mapping[str, tuple[int, ...]]] = {
        "tick": (0,),
        "seconds": (0,),
        "recorded_tick": (1,),
        "player": (14,),
        "client": (2,),
        "kind": (0,),
        **{field: (3 + place,) for place, field in enumerate(INPUT_FIELDS)},
        "wanted_weapon": (3 + INPUT_FIELDS.index("wanted_weapon_id"),),
        "replaces": (13,),
    }

    @staticmethod
    def filled(columns: ColumnPass) -> Int32Columns:
        return columns.input_columns

    def makers(self, columns: Sequence[pa.ChunkedArray]) -> Makers:
        tick, recorded, client, *values, replaces, player = columns
        held = dict(zip(INPUT_FIELDS, values, strict=True))
        weapon = held["wanted_weapon_id"]
        return {
            "tick": lambda: tick,
            "seconds": lambda: float64_of(tick, TICKS_PER_SECOND),
            "recorded_tick": lambda: recorded,
            "player": lambda: null_below_zero(player),
            "client": lambda: client,
            "kind": lambda: constant("input", tick),
            **{field: _always(column) for field, column in held.items()},
            "cursor_x": lambda: float32_of(held["cursor_x"]),
            "cursor_y": lambda: float32_of(held["cursor_y"]),
            "wanted_weapon": lambda: category(
                pc.index_in(weapon, value_set=array_of([1, 2, 3, 4, 5, 6], pa.int32())), WEAPONS
            ),
            "wanted_weapon_id": lambda: weapon.cast(pa.int64()),
            "replaces": lambda: by_chunk(replaces, lambda chunk: chunk.cast("bool"), pa.bool_()),
        }
