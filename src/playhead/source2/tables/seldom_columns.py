"""Columns of field values in the types of tables; `SeldomColumns`: those that are read at their changes only."""

from __future__ import annotations

from array import array
from collections.abc import Mapping
from math import inf
from operator import mul

from playhead.runtime.libraries import pa, pc
from playhead.runtime.typing import TYPE_CHECKING, Any
from playhead.source2.entities.handlers import EntityOp
from playhead.source2.entities.watching import FieldWatch
from playhead.source2.tables.entity_columns import EntityColumns
from playhead.tables.arrow import int32_array
from playhead.tables.number_columns import component_column, gathered
from playhead.tables.schema import arrow_type

if TYPE_CHECKING:
    from playhead.source2.entities.classes import EntityPool
    from playhead.source2.entities.entity import Entity
    from playhead.source2.playback.playback import Playback


def numbers_as(values: pa.Array, type_: Any) -> pa.Array:
    """Return a column of field values in another type of numbers; null for values that are not numbers."""

    stored = values.type
    if stored == type_:
        return values
    if pa.types.is_integer(stored) or pa.types.is_floating(stored) or pa.types.is_boolean(stored):
        if pa.types.is_boolean(stored):
            values = values.cast(pa.int64())
        if pa.types.is_boolean(type_):
            return values.cast(pa.int64()).cast(type_)
        return values.cast(type_, safe=False)
    return pa.nulls(len(values), type_)


def component_of(values: pa.Array, place: int, low: float = -inf) -> pa.Array:
    """Return one component of a column of vectors or angles, as 32-bit floats; null if it is no such column.

    With `low`, angles in degrees are returned from there to 360 degrees more.
    """
    if pa.types.is_fixed_size_list(values.type):
        return component_column(values, place, low)
    return pa.nulls(len(values), pa.float32())


class SeldomColumns:
    """Columns of one entity of each player, in parts: a row for each of the same entities at every sample.

    Equal columns of consecutive parts share their memory.

    Args:
        fields: field and Arrow type of each column; a field of None makes a column of nulls.

    Attributes:
        changed: indexes of the entities that changed since `append`.
    """

    def __init__(self, fields: Mapping[str, tuple[str | None, str]]) -> None:
        self._fields = fields
        self._names = tuple(dict.fromkeys(field for field, _ in fields.values() if field is not None))
        self.changed: set[int] = set()
        self._last: dict[str, tuple[Any, pa.Array]] = {}
        self._begin()

    def _begin(self) -> None:
        self._columns = EntityColumns(self._names)
        self._rows, self._sizes, self._times = array("i"), array("i"), array("i")
        self._now, self._before = array("i"), array("i")
        self._from = self._lists = 0

    def attach(self, playback: Playback, class_name: str) -> None:
        """Follow the entities of a class."""
        playback.entities.on_entity(FieldWatch(self._names, self._on_change), class_name)

    def _on_change(self, entity: Entity, _op: EntityOp) -> None:
        self.changed.add(entity.index)

    def append(self, entities: list[Any], sample: int, *, is_new: bool) -> None:
        """Read the changed entities, or all if `is_new`: they hold from that sample of the part on."""
        self._repeat(sample)
        if is_new:
            first = self._columns.rows
            self._columns.add_all(entities)
            self._now = array("i", range(first, first + len(entities)))
            self._before.extend(self._now)
            self._lists += 1
        else:
            changed, now = self.changed, self._now
            places = [i for i, entity in enumerate(entities) if entity is not None and entity.index in changed]
            self._before.extend([now[place] for place in places])
            first = self._columns.rows
            self._columns.add_all([entities[place] for place in places])
            for row, place in enumerate(places, first):
                now[place] = row
        self.changed.clear()

    def _repeat(self, sample: int) -> None:
        if sample > self._from:
            self._rows.extend(self._now)
            self._sizes.append(len(self._now))
            self._times.append(sample - self._from)
            self._from = sample

    def to_arrow(self, pool: EntityPool, samples: int) -> dict[str, Any]:
        """Return the columns of a part with that many samples; the next part begins with all entities."""
        self._repeat(samples)
        held, before = self._columns.to_arrow(pool), int32_array(self._before)
        first, blocks = len(self._now), (self._rows, self._sizes, self._times)
        count = sum(map(mul, self._sizes, self._times))
        found: dict[str, Any] = {}
        for name, (field, type_name) in self._fields.items():
            type_ = arrow_type(type_name)
            values = pa.nulls(len(before), type_) if field is None else numbers_as(held[field], type_)
            # Each value is compared with the one before of its entity.
            same = self._lists == 1 and values.equals(pc.take(values, before, boundscheck=False))
            key, known = self._last.get(name, (None, None))
            pattern = values[:first] if same else None
            if pattern is None or key is None or len(known) != count or not pattern.equals(key):
                known = gathered(values, *blocks)
            self._last[name] = pattern, known
            found[name] = known
        self._begin()
        return found
