"""Parts of a recording that its other parts imply: they are compared with each other."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from playhead.errors import CorruptReplay, FactError, ReplayError
from playhead.source2.container.frames import PACKET, SEND_TABLES, command_counts, packet_ticks
from playhead.source2.messages.numbers import command_names
from playhead.source2.playback.recording import Recording

# The engine's names of fields begin with their types.
_PREFIX = re.compile(r"m_(b|h|i|n|un|e|fl|sz|cell|lifeState)(?:[A-Z]|$)")
_PREFIXES = {
    "b": "bool",
    "fl": "float",
    "h": "handle",
    "sz": "string",
    **dict.fromkeys(("i", "n", "un", "e", "cell", "lifeState"), "integer"),
}
_SCALARS = {
    "bool": frozenset(("bool",)),
    "float": frozenset(("float32", "float64", "CNetworkedQuantizedFloat", "GameTime_t")),
    "string": frozenset(("CUtlString", "CUtlSymbolLarge", "char")),
    "integer": frozenset(f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)),
}
_CLASS_COST = "the fields of this class"
# The length in FileInfo may exceed the last packet by so many ticks.
_MOST_WITHOUT_PACKETS = 256
_FIELD_COST = "facts that are made of this field"
_ENTITY_COST = "all entities, and the facts that are made of them"


def unmet(recording: Recording, needed: Iterable[str], read: Iterable[str]) -> Iterator[tuple[ReplayError, str]]:
    """Yield an error and its cost for each expectation that the schema of a recording does not meet.

    Args:
        recording: the recording, read to its end.
        needed: names of fields, each of which some class of every build of the game declares; alternatives are
            separated by ``|``. A schema with fewer than half of them is not of the game.
        read: names of the fields that facts read.
    """
    if recording.class_names:
        declared = {field.name for each in recording.send_tables.serializers.values() for field in each.fields}
        wanted = list(needed)
        missing = [names for names in wanted if declared.isdisjoint(names.split("|"))]
        for names in missing if 2 * len(missing) < len(wanted) else ():
            name = names.replace("|", " or ")
            yield FactError(f"expected a class with field {name}, found none", where="SendTables"), _FIELD_COST
        yield from _of_types(recording, frozenset(read))
    for name in recording.class_names.values():
        if (name, 0) not in recording.send_tables.serializers:
            where = command_names()[SEND_TABLES]
            yield CorruptReplay(f"expected a serializer for class {name}", where=where), _CLASS_COST


def unmet_by_frames(recording: Recording) -> Iterator[tuple[ReplayError, str]]:
    """Yield an error and its cost for each expectation that the frames and FileInfo do not meet."""
    if not recording.class_names and recording.frames.numbers_of(PACKET) and recording.send_tables:
        yield CorruptReplay("expected a ClassInfo frame beside SendTables", where="frame"), _ENTITY_COST
    _, commands, ticks, *_ = recording.frames.columns()
    known, counts = command_names(), command_counts(commands)
    for number, count in sorted(counts.items()):
        if number not in known and count > counts.get(PACKET, 0):  # table ``frames`` has the others
            unknown = CorruptReplay(f"expected known frame commands, found {number} in {count} frames")
            yield unknown.locate(where="frame"), "the content of these frames"
    last, order = packet_ticks(commands, ticks)
    if order is not None:
        before, tick = order
        fallen = CorruptReplay(f"expected packets in the order of their ticks, found {before} before {tick}")
        yield fallen.locate(where="frame", tick=tick), "the times of the facts from here on"
    length = recording.file_info.get("playback_ticks")
    if isinstance(length, int) and length > last + _MOST_WITHOUT_PACKETS:
        ended = CorruptReplay(f"expected packets up to tick {length}, as in FileInfo, found none after {last}")
        yield ended.locate(where="frame", tick=max(last, 0)), "everything after this"


def _of_types(recording: Recording, read: frozenset[str]) -> Iterator[tuple[ReplayError, str]]:
    """Compare the declared types of fields with the prefixes of their names."""
    found = {
        (field.name, str(field.type))
        for each in recording.send_tables.serializers.values()
        for field in each.fields
        if field.name in read and field.type.generic is None
    }
    for name, declared in sorted(found):
        prefix = _PREFIX.match(name)
        kind = prefix and _PREFIXES.get(prefix[1])
        other = next((word for word, types in _SCALARS.items() if declared in types), None)
        if kind is not None and other is not None and other != kind:
            wrong = FactError(f"expected the type {kind} for field {name}, found {declared}", where="SendTables")
            yield wrong, _FIELD_COST
