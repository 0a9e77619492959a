"""Tables ``messages``, ``positions`` and ``inputs``, which have nearly all bytes of a file."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Self

from playhead.runtime.libraries import pa, pc
from playhead.tables import Column, TableSchema
from playhead.tables.arrow import by_chunk, category, constant, float32_of, null_below_zero
from playhead.tables.column_buffers import float64_of
from playhead.tables.shared import INPUTS as SHARED_INPUTS
from playhead.tables.shared import POSITIONS as SHARED_POSITIONS
from playhead.tables.value_arrays import array_of, scalar_of
from playhead.tables.vocabulary import word, words
from playhead.teehistorian.stream.column_pass import ColumnPass
from playhead.teehistorian.stream.extensions import ExtensionNames
from playhead.teehistorian.stream.header import Header
from playhead.teehistorian.stream.messages import TICKS_PER_SECOND, WEAPONS, MessageKind
from playhead.teehistorian.stream.ticks import INPUT_FIELDS
from playhead.teehistorian.tables import TABLES
from playhead.teehistorian.tables.builder import BulkBuilder, Recipe, Recipes

_MESSAGES = [kind.name.lower() for kind in sorted(MessageKind, reverse=True)]
_EVENTS = ["appeared", "moved", "gone"]


def as_is(_: BulkBuilder, column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Return the pass's column."""
    return column


def or_null(_: BulkBuilder, column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Return the column with nulls for numbers below 0."""
    return null_below_zero(column)


def as_float(_: BulkBuilder, column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Return the column as float32."""
    return float32_of(column)


TIME: Recipes = {"tick": (0, as_is), "seconds": (0, lambda _, tick: float64_of(tick, TICKS_PER_SECOND))}

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

    recipes: ClassVar[Recipes] = {
        **TIME,
        "message": (1, lambda _, kind: category(kind, _MESSAGES)),
        "client": (2, or_null),
        "player": (5, or_null),
        "bytes": (3, lambda _, size: size.cast(pa.int64())),
        "offset": (3, lambda self, size: self._offsets(size)),
        "extension": (4, lambda self, code: self._extensions(code)),
    }

    def _extensions(self, code: pa.ChunkedArray) -> pa.ChunkedArray:
        return category(null_below_zero(code), [self._names[uuid] for uuid in self._codes])

    def _offsets(self, size: pa.ChunkedArray) -> pa.ChunkedArray:
        """Messages have no gaps between them, so offsets are sums of sizes."""
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

    recipes: ClassVar[Recipes] = {
        **TIME,
        "player": (5, or_null),
        "client": (1, as_is),
        "x": (2, as_float),
        "y": (3, as_float),
        "event": (4, lambda _, event: category(event, _EVENTS)),
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


def _weapon(_: BulkBuilder, number: pa.ChunkedArray) -> pa.ChunkedArray:
    return category(pc.index_in(number, value_set=array_of([1, 2, 3, 4, 5, 6], pa.int32())), WEAPONS)


#: The fields of an input that become another type.
_HELD: Mapping[str, Recipe] = {
    "cursor_x": as_float,
    "cursor_y": as_float,
    "wanted_weapon_id": lambda _, number: number.cast(pa.int64()),
}


@TABLES.maker_of(INPUTS)
class Inputs(BulkBuilder):
    """Builds table ``inputs``."""

    fills = "inputs"

    recipes: ClassVar[Recipes] = {
        **TIME,
        "recorded_tick": (1, as_is),
        "player": (14, or_null),
        "client": (2, as_is),
        "kind": (0, lambda _, tick: constant("input", tick)),
        **{field: (3 + place, _HELD.get(field, as_is)) for place, field in enumerate(INPUT_FIELDS)},
        "wanted_weapon": (3 + INPUT_FIELDS.index("wanted_weapon_id"), _weapon),
        "replaces": (13, lambda _, replaces: by_chunk(replaces, lambda chunk: chunk.cast("bool"), pa.bool_())),
    }
