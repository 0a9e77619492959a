"""How stored values become those that events show: in objects, in columns, and in the JSON of payloads.

A `Conversion` is called with the stored value and the `playhead.blizzard.events.scope.Scope`."""

from __future__ import annotations

from array import array
from collections.abc import Mapping, Sequence
from itertools import accumulate
from types import MappingProxyType
from typing import Any

from playhead.blizzard.encoding.event_decoder import BitArray
from playhead.blizzard.encoding.field_column import NOTHING, first_lists_of, first_of
from playhead.blizzard.events.scope import COARSE, FINE, RECYCLE_BITS
from playhead.blizzard.events.text_kinds import CODE, FLAG, LIST, PARTS, SCALED, SPOTS, TAG, WHOLE
from playhead.blizzard.protocol import wire
from playhead.runtime.libraries import pc
from playhead.text.json import to_json

_RECYCLE_MASK = (1 << RECYCLE_BITS) - 1

_INTS = frozenset({wire.KIND_INT})
_TEXTS = frozenset({wire.KIND_BLOB})


def unit_tag(index: Any, recycle: Any) -> Any:
    """Return the tag of a unit, as game events use it; None for no unit."""
    if index is None or recycle is None:
        return None
    return (index << RECYCLE_BITS) | (recycle & _RECYCLE_MASK)


def json_bytes(value: Any) -> bytes:
    """Return a value as JSON."""
    return to_json(value).encode()


def sampled_units(
    first: int | None, items: Sequence[int] | None
) -> tuple[list[int], Sequence[int], Sequence[int]]:
    """Return the unit indices of a `UnitPositionsEvent`, and x and y of each as stored.

    `items` are triples of index delta, x and y; the first delta counts from `first`.
    """
    items = items or ()
    end = len(items) // 3 * 3
    return [*accumulate(items[0:end:3], initial=first or 0)][1:], items[1:end:3], items[2:end:3]


class NoText(Exception):
    """A field whose text cannot be made from columns."""


class FieldSource:
    """The columns of one field.

    Attributes:
        events: of the kind (`playhead.blizzard.events.columns.EventFields`).
        paths: of the field, dotted.
        default: of the field.
        scope: for conversions.
    """

    def __init__(self, events: Any, paths: tuple[str, ...], default: Any, scope: Any) -> None:
        self.events = events
        self.paths = paths
        self.default = default
        self.scope = scope

    def kinds(self, *paths: str) -> set[int]:
        """Return the kinds of the values at those paths that the build has.

        Raises:
            NoText: one is a list or has parts.
        """
        found = set()
        for path in paths:
            leaf = self.events.leaf(path)
            if leaf is not None and not leaf.is_list:
                found.add(leaf.kind)
            elif leaf is not None or self.events.leaves_below(path):
                raise NoText
        return found

    def numbers(self, kinds: frozenset[int], *paths: str) -> array[int]:
        """Return the first number at the paths of the field, or at others, if all are of these kinds."""
        wanted = paths or self.paths
        if not self.kinds(*wanted) <= kinds:
            raise NoText
        found = [self.events.numbers(path) for path in wanted if self.events.leaf(path) is not None]
        return first_of(found) if found else array("q", [NOTHING]) * len(self.events)

    def lists(self, path: str) -> tuple[array[int], array[int]]:
        """Return the lists of numbers at a path; empty if the build does not have it."""
        leaf = self.events.leaf(path)
        if self.default != () or (leaf is None and self.events.leaves_below(path)):
            raise NoText
        if leaf is not None and not (leaf.is_list and leaf.kind == wire.KIND_INT):
            raise NoText
        return self.events.flat_lists(path)  # type: ignore[no-any-return]

    def text(self, kind: int, **columns: Any) -> Any:
        """Return the `FieldText` of these columns, with the default for nulls."""
        from playhead.blizzard.events.record import FieldText

        absent = None if self.default is None or kind >= LIST else json_bytes(self.default)
        return FieldText(kind, absent=absent, **columns)


class Conversion:
    """Keeps a value as it is stored; the base of all others.

    Attributes:
        element: for a list of structs, the field of each that its column has.
        has_column: False if it needs more than a single stored value.
    """

    def __init__(self, element: str = "", has_column: bool = True) -> None:
        self.element = element
        self.has_column = has_column

    def __call__(self, value: Any, scope: Any) -> Any:
        return value

    def column(self, events: Any, name: str, scope: Any) -> Any:
        """Return the column of a field of `EventFields`."""
        return events.stored(name)

    def text(self, source: FieldSource) -> Any:
        """Return the rule for the text of a field.

        Raises:
            NoText: there is none, so its events must become objects.
        """
        kinds = source.kinds(*source.paths)
        if kinds == {wire.KIND_BOOL}:
            return source.text(FLAG, values=source.numbers(frozenset(kinds)))
        return source.text(WHOLE, values=source.numbers(_INTS))


class Called(Conversion):
    """Calls a function with the value and the scope; has no column and no text."""

    def __init__(self, function: Any) -> None:
        super().__init__(has_column=False)
        self.function = function

    def __call__(self, value: Any, scope: Any) -> Any:
        return self.function(value, scope)

    def text(self, source: FieldSource) -> Any:
        raise NoText


class Scaled(Conversion):
    """A number times `factor` and `times` of the scope, by `divisor` and `by` of the scope, plus `offset`."""

    def __init__(
        self, factor: float = 1.0, divisor: float = 1.0, offset: float = 0.0, times: str = "", by: str = ""
    ) -> None:
        super().__init__()
        self._factor, self._divisor, self._offset = factor, divisor, offset
        self._times = times
        self._by = by

    def scale(self, scope: Any) -> tuple[float, float, float]:
        """Return factor, divisor and offset in a replay."""
        factor = self._factor * getattr(scope, self._times) if self._times else self._factor
        divisor = self._divisor * getattr(scope, self._by) if self._by else self._divisor
        return factor, divisor, self._offset

    def __call__(self, value: Any, scope: Any) -> Any:
        factor = self._factor
        divisor = self._divisor
        number = value
        if self._times:
            factor *= getattr(scope, self._times)
        if self._by:
            divisor *= getattr(scope, self._by)
        return number * factor / divisor + self._offset

    def column(self, events: Any, name: str, scope: Any) -> Any:
        from playhead.tables.number_columns import float64_column
        from playhead.tables.value_arrays import scalar_of

        factor, divisor, offset = self.scale(scope)
        found = float64_column(events.numbers(name), NOTHING, factor, divisor)
        return pc.add(found, scalar_of(offset, found.type)) if offset else found

    def text(self, source: FieldSource) -> Any:
        return source.text(SCALED, values=source.numbers(_INTS), scale=self.scale(source.scope))


class Text(Conversion):
    """A text; invalid UTF-8 becomes U+FFFD. If it is `known`, an empty one is None."""

    def __init__(self, known: bool = False) -> None:
        super().__init__()
        self._known = known

    def __call__(self, value: Any, scope: Any) -> Any:
        text = value.decode("utf-8", "replace")
        return text or None if self._known else text

    def text(self, source: FieldSource) -> Any:
        from playhead.blizzard.events.record import left_out

        codes, stream = source.numbers(_TEXTS), source.events.stream
        if self._known and "" in stream.texts:
            codes = left_out(codes, codes, stream.texts.index(""))
            if source.default is not None:
                raise NoText
        return source.text(CODE, values=codes, texts=stream.json_texts)


class Worded(Conversion):
    """The name at the index of a number; a number without a name becomes its digits."""

    def __init__(self, names: tuple[str, ...]) -> None:
        super().__init__()
        self._names = names

    def __call__(self, value: Any, scope: Any) -> Any:
        return self._names[value] if 0 <= value < len(self._names) else str(value)

    def column(self, events: Any, name: str, scope: Any) -> Any:
        from playhead.tables.number_columns import named_column

        return named_column(events.numbers(name), NOTHING, dict(enumerate(self._names)))

    def text(self, source: FieldSource) -> Any:
        return source.text(CODE, values=source.numbers(_INTS), texts=[json_bytes(name) for name in self._names])


class Numbers(Conversion):
    """A list of numbers, or of one field (`element`) of each struct of a list, as a tuple."""

    def __call__(self, value: Any, scope: Any) -> Any:
        return tuple(each.get(self.element) for each in value) if self.element else tuple(value)

    def text(self, source: FieldSource) -> Any:
        (path,) = source.paths
        ends, items = source.lists(f"{path}.{self.element}" if self.element else path)
        return source.text(LIST, ends=ends, items=items)


class UnitTag(Conversion):
    """The tag of a unit from two fields of an event: its index and its recycle."""

    def __init__(self, index: str, recycle: str) -> None:
        super().__init__(has_column=False)
        self._index = index
        self._recycle = recycle

    def __call__(self, fields: Any, scope: Any) -> Any:
        return unit_tag(fields.get(self._index), fields.get(self._recycle))

    def text(self, source: FieldSource) -> Any:
        if source.default is not None:
            raise NoText
        index, recycle = (source.numbers(_INTS, path) for path in (self._index, self._recycle))
        return source.text(TAG, values=index, more=recycle)


class Renamed(Conversion):
    """A read-only mapping from a struct of numbers.

    Args:
        names: new names of fields; others keep theirs.
        divided: fields whose numbers are divided by `unit`.
        unit: the divisor.
    """

    def __init__(self, names: Mapping[str, str], divided: frozenset[str], unit: float) -> None:
        super().__init__(has_column=False)
        self._names = names
        self._divided = divided
        self._unit = unit

    def __call__(self, value: Any, scope: Any) -> Any:
        named = ((self._names.get(name, name), number, name in self._divided) for name, number in value.items())
        return MappingProxyType({name: number / self._unit if part else number for name, number, part in named})

    def text(self, source: FieldSource) -> Any:
        (path,) = source.paths
        parts = []
        if source.default is not None:
            raise NoText
        for below in source.events.leaves_below(path):
            name = below.removeprefix(path + ".")
            scale = (1.0, self._unit, 0.0)
            kind = {"kind": SCALED, "scale": scale} if name in self._divided else {"kind": WHOLE}
            part = source.text(**kind, values=source.numbers(_INTS, below))
            part.before = json_bytes(self._names.get(name, name)) + b": "
            parts.append(part)
        return source.text(PARTS, parts=parts)


class Removal(Conversion):
    """How a change of a selection gives indices of units, in words (by case of the choice)."""

    def __init__(self, words: Mapping[str, str]) -> None:
        super().__init__(has_column=False)
        self._words = words

    def __call__(self, value: Any, scope: Any) -> Any:
        if isinstance(value, dict):
            (case,) = value
            return str(self._words.get(case, case))
        # Betas and 1.0: only a mask, which may be empty.
        return "mask" if value and value[0] else "none"

    def text(self, source: FieldSource) -> Any:
        (path,) = source.paths
        leaf = source.events.leaf(path + "#")
        if leaf is None or leaf.is_list or leaf.cases.keys() != set(range(len(leaf.cases))):
            raise NoText
        cases = [leaf.cases[tag] for tag in range(len(leaf.cases))]
        texts = [json_bytes(self._words.get(case, case)) for case in cases]
        return source.text(CODE, values=source.events.numbers(path + "#"), texts=texts)


class RemovedPlaces(Conversion):
    """These indices."""

    def __init__(self) -> None:
        super().__init__(has_column=False)

    def __call__(self, value: Any, scope: Any) -> Any:
        if isinstance(value, dict):
            (value,) = value.values()
        return value.indices if isinstance(value, BitArray) else tuple(value or ())

    def text(self, source: FieldSource) -> Any:
        (path,) = source.paths
        below = source.events.leaves_below(path)
        if source.events.leaf(path + "#") is None or source.default != () or not below:
            raise NoText
        kinds = (wire.KIND_INT, wire.KIND_BIT_ARRAY)
        if any(not leaf.is_list or leaf.kind not in kinds for leaf in below.values()):
            raise NoText
        ends, items = first_lists_of([source.events.flat_lists(each) for each in below])
        return source.text(LIST, ends=ends, items=items)


class Spots(Conversion):
    """Triples of a unit's index, x and y, from the fields of a `UnitPositionsEvent`."""

    def __init__(self) -> None:
        super().__init__(has_column=False)

    def __call__(self, fields: Any, scope: Any) -> Any:
        cells = scope.tracker_cells
        sampled = sampled_units(fields.get("m_firstUnitIndex"), fields.get("m_items"))
        return tuple((index, x * cells, y * cells) for index, x, y in zip(*sampled, strict=True))

    def text(self, source: FieldSource) -> Any:
        ends, items = source.lists("m_items")
        firsts, scale = source.numbers(_INTS, "m_firstUnitIndex"), (source.scope.tracker_cells, 1.0, 0.0)
        return source.text(SPOTS, values=firsts, ends=ends, items=items, scale=scale)


#: A number or a truth value.
AS_STORED: Conversion = Conversion()
#: A text.
AS_TEXT: Conversion = Text()
#: A text; None if it is empty.
KNOWN_TEXT: Conversion = Text(known=True)
#: 1/4096 of a cell as cells.
IN_FINE: Conversion = Scaled(divisor=FINE)
#: 1/256 of a cell as cells.
IN_COARSE: Conversion = Scaled(divisor=COARSE)
#: The unit of the camera's events as cells.
OF_CAMERA: Conversion = Scaled(by="camera_unit")
#: The unit of its angles as degrees.
PITCH: Conversion = Scaled(45.0, by="camera_unit")
YAW: Conversion = Scaled(45.0, offset=-90.0, by="camera_unit")
#: The unit of the tracker's events as cells.
OF_TRACKER: Conversion = Scaled(times="tracker_cells")
#: A list of numbers.
NUMBERS: Conversion = Numbers()
