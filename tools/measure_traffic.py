"""Measure the content of a Source 2 recording: packets, messages, deltas of entities, values.

    python tools/measure_traffic.py FILE.dem… [--from TICK] [--packets N] [--json]

Prints one column per file, to compare a synthetic recording with a real one. Only packets of the game count,
neither sign-on nor full packets. Entity messages are decoded here again, field by field, because `EntityManager`
does not keep deltas; `--packets` bounds the time for long files.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Any

import playhead
from playhead.bits.bit_reader import BitReader
from playhead.source2.container.frames import PACKET
from playhead.source2.entities.field_path import FieldPathReader
from playhead.source2.messages import wire
from playhead.source2.messages.definitions import message_numbers
from playhead.source2.messages.numbers import Engine
from playhead.source2.messages.packet import PacketReader
from playhead.source2.replay import Source2Replay
from playhead.source2.schema.decoder import FieldDecoder
from playhead.source2.schema.encoding import ENCODINGS
from playhead.source2.schema.tree import FieldCursor, FieldTree

_STRING_TABLES = (Engine.CREATE_STRING_TABLE, Engine.UPDATE_STRING_TABLE, Engine.CLEAR_ALL_STRING_TABLES)
_MOST_KINDS = 24
_KINDS = [name.lower() for name in ENCODINGS]


@dataclass
class Traffic:
    """Counts of one file."""

    packets: int = 0
    stored: int = 0
    ticks: list[int] = field(default_factory=list)
    sizes: list[int] = field(default_factory=list)
    messages: list[int] = field(default_factory=list)
    entity_sizes: list[int] = field(default_factory=list)
    deltas: list[int] = field(default_factory=list)
    fields: list[int] = field(default_factory=list)
    bits: int = 0
    operations: Counter[str] = field(default_factory=Counter)
    values: Counter[str] = field(default_factory=Counter)
    classes: Counter[str] = field(default_factory=Counter)
    kinds: Counter[str] = field(default_factory=Counter)
    bytes_of: Counter[str] = field(default_factory=Counter)
    seen: int = 0


class _Deltas:
    """Tracks entities through their messages as far as needed to identify the fields of a delta."""

    def __init__(self, replay: Source2Replay, traffic: Traffic) -> None:
        self._traffic = traffic
        self._class_bits = int(replay.recording.server_info.get("max_classes", 0)).bit_length()
        self._tree = FieldTree(replay.recording.send_tables)
        self._names = replay.recording.class_names
        self._cursors: dict[int, FieldCursor] = {}
        self._decoders: dict[tuple[int, tuple[int, ...]], tuple[FieldDecoder, str]] = {}
        self._lists: set[tuple[int, tuple[tuple[int, ...], ...]]] = set()
        self._paths = FieldPathReader()
        self.classes: dict[int, int] = {}

    def message(self, payload: bytes, count: bool) -> None:
        """Decode one entity message; count it if `count`, else only track the entities."""
        content = wire.decode("CSVCMsg_PacketEntities", payload)
        reader = BitReader(content.get("entity_data", b""))
        pvs = content.get("has_pvs_vis_bits_deprecated", 0)
        index, deltas = -1, 0
        for _ in range(content.get("updated_entries", 0)):
            index += reader.read_ubit_var() + 1
            operation = reader.read_bits(2)
            if operation == 2:
                self.classes[index] = reader.read_bits(self._class_bits)
                reader.read_bits(17)
                reader.read_varuint32()
                self._delta(reader, index, False)
            elif operation == 0:
                if pvs and reader.read_bits(2) & 1:
                    continue
                self._delta(reader, index, count)
                deltas += 1
            if count:
                self._traffic.operations[("updates", "leaves", "creates", "deletes")[operation]] += 1
        if count:
            self._traffic.entity_sizes.append(len(payload))
            self._traffic.deltas.append(deltas)

    def _delta(self, reader: BitReader, index: int, count: bool) -> None:
        class_id, before = self.classes[index], reader.tell()
        paths = self._paths.read_paths(reader)
        kinds = [self._read(reader, class_id, path) for path in paths]
        if not count:
            return
        traffic = self._traffic
        traffic.bits += reader.tell() - before
        traffic.fields.append(len(paths))
        traffic.classes[self._names[class_id]] += 1
        traffic.values.update(kinds)
        key = class_id, tuple(paths)
        traffic.seen += key in self._lists
        self._lists.add(key)

    def _read(self, reader: BitReader, class_id: int, path: tuple[int, ...]) -> str:
        known = self._decoders.get((class_id, path))
        if known is None:
            cursor = self._cursors.get(class_id)
            if cursor is None:
                name = self._names[class_id]
                cursor = self._cursors[class_id] = FieldCursor(self._tree, self._tree.root(name), name)
            encoding = cursor.describe(path, (0,) * len(path)).encoding
            known = self._decoders[class_id, path] = FieldDecoder(encoding), _KINDS[encoding.kind]
        known[0].read(reader)
        return known[1]


def measure(replay: Source2Replay, start: int = 0, most: int | None = None) -> Traffic:
    """Count at most that many packets from a tick on.

    Raises:
        ReplayError: an entity message on which later ones depend cannot be read.
    """
    traffic, names = Traffic(), message_numbers(replay.info.game)
    deltas = _Deltas(replay, traffic)
    for frame in replay.recording.frames:
        if frame.command != PACKET:
            continue
        reader = PacketReader(replay.recording.packet(frame, replay.recording.payload(frame)))
        count = frame.tick >= start
        size = messages = 0
        while reader.advance():
            payload = reader.payload()
            if reader.id == Engine.PACKET_ENTITIES:
                deltas.message(payload, count)
            name = names[reader.id].name if reader.id in names else str(reader.id)
            if count:
                traffic.kinds[name] += 1
                traffic.bytes_of[name] += len(payload)
            size, messages = size + len(payload), messages + 1
        if count:
            traffic.packets += 1
            traffic.ticks.append(frame.tick)
            traffic.stored += frame.size
            traffic.sizes.append(size)
            traffic.messages.append(messages)
        if traffic.packets == most:
            break
    return traffic


def _spread(values: Iterable[int]) -> str:
    """Return mean, median, 90th and 99th percentile, and maximum."""
    ordered = sorted(values)
    if not ordered:
        return "none"
    at = [ordered[min(len(ordered) - 1, len(ordered) * part // 100)] for part in (50, 90, 99)]
    return f"{sum(ordered) / len(ordered):.1f} ({at[0]}, {at[1]}, {at[2]}, {ordered[-1]})"


def report(replay: Source2Replay, traffic: Traffic) -> dict[str, str]:
    """Return the measures as text, by name."""
    whole, deltas = sum(traffic.sizes), len(traffic.fields)
    tables = sum(traffic.bytes_of[_name(replay, number)] for number in _STRING_TABLES)
    entity = sum(traffic.entity_sizes)
    steps = [after - before for before, after in zip(traffic.ticks, traffic.ticks[1:], strict=False)]
    out = {
        "classes": str(len(replay.recording.class_names)),
        "fields of the schema": str(sum(len(serializer.fields) for serializer in replay.recording.send_tables)),
        "packets": f"{traffic.packets}, one in {median(steps) if steps else 0:g} ticks",
        "bytes a packet (p50, p90, p99, most)": _spread(traffic.sizes),
        "stored bytes of a raw one": f"{traffic.stored / max(whole, 1):.2f}",
        "messages a packet": _spread(traffic.messages),
        "bytes in entity messages": _share(entity, whole),
        "bytes in string tables": _share(tables, whole),
        "bytes in other messages": _share(whole - entity - tables, whole),
        "bytes an entity message": _spread(traffic.entity_sizes),
        "deltas an entity message": _spread(traffic.deltas),
        "fields a delta": _spread(traffic.fields),
        "deltas of 1 field": _share(traffic.fields.count(1), deltas),
        "deltas of 4 fields": _share(traffic.fields.count(4), deltas),
        "lists of fields seen before": _share(traffic.seen, deltas),
        "bits a field": f"{traffic.bits / max(sum(traffic.fields), 1):.1f}",
    }
    for name, count in traffic.operations.most_common():
        out[name] = f"{count} ({count / max(traffic.packets, 1):.2f} a packet)"
    values = sum(traffic.values.values())
    for name, count in traffic.values.most_common(12):
        out[f"values: {name}"] = _share(count, values)
    for name, count in traffic.classes.most_common(12):
        out[f"deltas of {name}"] = _share(count, deltas)
    for name, size in traffic.bytes_of.most_common(_MOST_KINDS):
        each = traffic.kinds[name]
        out[f"message {name}"] = (
            f"{_share(size, whole)}, {each / traffic.packets:.2f} a packet, {size / each:.0f} bytes"
        )
    return out


def _name(replay: Source2Replay, number: int) -> str:
    return message_numbers(replay.info.game)[number].name


def _share(part: float, whole: float) -> str:
    return f"{100 * part / max(whole, 1):.1f} %"


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE.dem")
    parser.add_argument("--from", dest="start", type=int, default=0, help="first tick that counts")
    parser.add_argument("--packets", type=int, help="count at most that many")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    reports: dict[str, dict[str, Any]] = {}
    for path in given.files:
        replay = playhead.open(path)
        assert isinstance(replay, Source2Replay)
        reports[path.name] = report(replay, measure(replay, given.start, given.packets))
    if given.json:
        print(json.dumps(reports, indent=1))
        return
    rows = list(dict.fromkeys(row for found in reports.values() for row in found))
    widths = [max(len(name), *(len(text) for text in found.values())) for name, found in reports.items()]
    first = max(map(len, rows))
    for row in ("", *rows):
        cells = [name if not row else found.get(row, "") for name, found in reports.items()]
        print(row.ljust(first), *(cell.rjust(width) for cell, width in zip(cells, widths, strict=True)), sep="  ")


if __name__ == "__main__":
    main()
