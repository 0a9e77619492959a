"""Rules for the JSON text of each conversion of a field, from columns.

A field is declared once, in its class, with its conversion. If a kind of events has a field with a conversion that
is not here, or other fields than its type table, its events become objects.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Mapping
from dataclasses import MISSING, fields
from typing import Any

from playhead.sc2.encoding.field_column import NOTHING, first_lists_of, first_of
from playhead.sc2.events import base, commands
from playhead.sc2.events.columns import EventFields
from playhead.sc2.events.payload_columns import FieldText, kept, left_out
from playhead.sc2.events.record import COMMON
from playhead.sc2.events.text_kinds import CODE, DIVIDED, FLAG, LIST, PARTS, SPOTS, TAG, TIMES, WHOLE
from playhead.sc2.events.tracker import SPOTS_OF
from playhead.sc2.events.values import COARSE, FINE, Renamed, UnitTag
from playhead.sc2.protocol import wire
from playhead.text.json import to_json


class _Unknown(Exception):
    """A field whose text cannot be made from columns."""


def _json(value: Any) -> bytes:
    return to_json(value).encode()


class _Source:
    """The columns of one field.

    Attributes:
        events: of the kind.
        paths: of the field, dotted.
        default: of the field.
    """

    def __init__(self, events: EventFields, paths: tuple[str, ...], default: Any, scope: base.Scope) -> None:
        self.events = events
        self.paths = paths
        self.default = default
        self.scope = scope

    @property
    def absent(self) -> bytes | None:
        return None if self.default is None else _json(self.default)

    def kinds(self, *paths: str) -> set[int]:
        """Return the kinds of the values at those paths that the build has.

        Raises:
            _Unknown: one is a list or has parts.
        """
        found = set()
        for path in paths:
            leaf = self.events.leaf(path)
            if leaf is not None and not leaf.is_list:
                found.add(leaf.kind)
            elif leaf is not None or self.events.leaves_below(path):
                raise _Unknown
        return found

    def numbers(self, *paths: str, kinds: frozenset[int]) -> array[int]:
        """Return the first number at the paths, if all are of these kinds."""
        if not self.kinds(*paths) <= kinds:
            raise _Unknown
        found = [self.events.numbers(path) for path in paths if self.events.leaf(path) is not None]
        return first_of(found) if found else array("q", [NOTHING]) * len(self.events)


_INTS = frozenset({wire.KIND_INT})
_TEXTS = frozenset({wire.KIND_BLOB})


def _plain(source: _Source) -> FieldText:
    kinds = source.kinds(*source.paths)
    if kinds == {wire.KIND_BOOL}:
        flags = source.numbers(*source.paths, kinds=frozenset(kinds))
        return FieldText(FLAG, values=flags, absent=source.absent)
    return FieldText(WHOLE, values=source.numbers(*source.paths, kinds=_INTS), absent=source.absent)


def _scaled(kind: int, unit_of: Callable[[base.Scope], float]) -> Callable[[_Source], FieldText]:
    def make(source: _Source) -> FieldText:
        values = source.numbers(*source.paths, kinds=_INTS)
        return FieldText(kind, values=values, unit=unit_of(source.scope), absent=source.absent)

    return make


def _text(source: _Source) -> FieldText:
    codes = source.numbers(*source.paths, kinds=_TEXTS)
    return FieldText(CODE, values=codes, texts=source.events.stream.json_texts, absent=source.absent)


def _known_text(source: _Source) -> FieldText:
    codes, texts = source.numbers(*source.paths, kinds=_TEXTS), source.events.stream.texts
    if "" in texts:
        codes = left_out(codes, codes, texts.index(""))
        if source.default is not None:
            raise _Unknown
    return FieldText(CODE, values=codes, texts=source.events.stream.json_texts, absent=source.absent)


def _list(lists: tuple[array[int], array[int]]) -> FieldText:
    return FieldText(LIST, ends=lists[0], items=lists[1])


def _numbers_at(source: _Source, path: str) -> tuple[array[int], array[int]]:
    """Return the lists of numbers at a path; empty if the build does not have it."""
    leaf = source.events.leaf(path)
    if source.default != () or (leaf is None and source.events.leaves_below(path)):
        raise _Unknown
    if leaf is not None and not (leaf.is_list and leaf.kind == wire.KIND_INT):
        raise _Unknown
    return source.events.flat_lists(path)


def _numbers(source: _Source) -> FieldText:
    (path,) = source.paths
    return _list(_numbers_at(source, path))


def _removal(source: _Source) -> FieldText:
    (path,) = source.paths
    leaf = source.events.leaf(path + "#")
    if leaf is None or leaf.is_list or leaf.cases.keys() != set(range(len(leaf.cases))):
        raise _Unknown
    codes = source.events.numbers(path + "#")
    names = [commands.REMOVALS_BY_CASE.get(leaf.cases[tag], leaf.cases[tag]) for tag in range(len(leaf.cases))]
    return FieldText(CODE, values=codes, texts=list(map(_json, names)), absent=source.absent)


def _removed(source: _Source) -> FieldText:
    (path,) = source.paths
    below = source.events.leaves_below(path)
    if source.events.leaf(path + "#") is None or source.default != () or not below:
        raise _Unknown
    if any(not leaf.is_list or leaf.kind not in (wire.KIND_INT, wire.KIND_BIT_ARRAY) for leaf in below.values()):
        raise _Unknown
    return _list(first_lists_of([source.events.flat_lists(each) for each in below]))


def _spots(source: _Source) -> FieldText:
    ends, items = _numbers_at(source, "m_items")
    firsts = source.numbers("m_firstUnitIndex", kinds=_INTS)
    return FieldText(SPOTS, values=firsts, ends=ends, items=items, unit=source.scope.tracker_cells)


def _tag(source: _Source, made: UnitTag) -> FieldText:
    if source.default is not None:
        raise _Unknown
    index, recycle = (source.numbers(path, kinds=_INTS) for path in (made.index, made.recycle))
    return FieldText(TAG, values=index, more=recycle)


def _renamed(source: _Source, made: Renamed) -> FieldText:
    (path,) = source.paths
    parts = []
    if source.default is not None:
        raise _Unknown
    for below in source.events.leaves_below(path):
        name = below.removeprefix(path + ".")
        values = source.numbers(below, kinds=_INTS)
        divided = name in made.divided
        part = FieldText(DIVIDED, values=values, unit=made.unit) if divided else FieldText(WHOLE, values=values)
        part.before = _json(made.names.get(name, name)) + b": "
        parts.append(part)
    return FieldText(PARTS, parts=parts)


_MAKERS: Mapping[base.Conversion, Callable[[_Source], FieldText]] = {
    base.AS_TEXT: _text,
    base.KNOWN_TEXT: _known_text,
    base.IN_FINE: _scaled(DIVIDED, lambda _: FINE),
    base.IN_COARSE: _scaled(DIVIDED, lambda _: COARSE),
    base.OF_CAMERA: _scaled(DIVIDED, lambda scope: scope.camera_unit),
    base.OF_TRACKER: _scaled(TIMES, lambda scope: scope.tracker_cells),
    base.NUMBERS: _numbers,
    commands.REMOVAL_KIND: _removal,
    commands.REMOVED_PLACES: _removed,
    SPOTS_OF: _spots,
}


def _made(source: _Source, conversion: base.Conversion | None) -> FieldText:
    if conversion is None:
        return _plain(source)
    if conversion in _MAKERS:
        return _MAKERS[conversion](source)
    if conversion.names:
        codes = source.numbers(*source.paths, kinds=_INTS)
        return FieldText(CODE, values=codes, texts=list(map(_json, conversion.names)), absent=source.absent)
    if conversion.element:
        (path,) = source.paths
        return _list(_numbers_at(source, f"{path}.{conversion.element}"))
    if isinstance(conversion.value, UnitTag):
        return _tag(source, conversion.value)
    if isinstance(conversion.value, Renamed):
        return _renamed(source, conversion.value)
    raise _Unknown


#: Fields that `CmdEvent.settle` clears: without a link, and with other targets than these.
_OF_LINK = ("ability_id", "ability_index", "ability_data")
_OF_TARGETS = {
    "x": ("TargetPoint", "TargetUnit"),
    "y": ("TargetPoint", "TargetUnit"),
    "z": ("TargetPoint", "TargetUnit"),
    "target_unit": ("TargetUnit",),
    "target_unit_type_id": ("TargetUnit",),
}


def _settled(events: EventFields, name: str, source: _Source, conversion: base.Conversion | None) -> FieldText:
    """Return a field of a command with the changes of `CmdEvent.settle`."""
    target = events.leaf("m_data#")
    if target is None or events.leaf(commands.OLD_TARGET_UNIT) is not None:
        raise _Unknown
    if name in _OF_LINK:
        link = source.numbers("m_abil.m_abilLink", "m_abilLink", kinds=_INTS)
        values = left_out(source.numbers(*source.paths, kinds=_INTS), link, commands.NO_LINK)
        return FieldText(WHOLE, values=values)
    if name not in _OF_TARGETS:
        return _made(source, conversion)
    wanted = {tag for tag, case in target.cases.items() if case in _OF_TARGETS[name]}
    values = kept(source.numbers(*source.paths, kinds=_INTS), events.numbers("m_data#"), wanted)
    return FieldText(WHOLE, values=values) if conversion is None else FieldText(DIVIDED, values=values, unit=FINE)


def payload_fields(events: EventFields, scope: base.Scope) -> list[FieldText] | None:
    """Return the fields of the payload of a kind of events; None if its events must become objects."""
    shown = [field for field in fields(events.type)[len(COMMON) :] if field.metadata.get("paths")]
    settles = events.type.settle is not base.Event.settle
    if not shown or events.is_odd or (settles and events.type is not commands.CmdEvent):
        return None
    made = []
    try:
        for field in shown:
            default = None if field.default is MISSING else field.default
            source = _Source(events, tuple(map(".".join, field.metadata["paths"])), default, scope)
            conversion = field.metadata["conversion"]
            text = _settled(events, field.name, source, conversion) if settles else _made(source, conversion)
            text.before = _json(field.name) + b": "
            made.append(text)
    except _Unknown:
        return None
    return made
