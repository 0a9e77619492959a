"""Seeds and dictionaries, all made by playhead's own samples and writers: ``python fuzz/seeds.py FOLDER``."""

from __future__ import annotations

import gzip
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from random import Random
from uuid import UUID

import pieces
from targets import (
    NAMES,
    sc2_json,
    sc2_map,
    sc2_resume,
    sc2_rewriter,
    source2_broadcast,
    source2_entities,
    source2_past_states,
    source2_wire,
    teehistorian_demo,
    teehistorian_extensions,
    teehistorian_ghost,
    teehistorian_index,
    teehistorian_map,
)
from tests.samples import cs2, teehistorian
from tests.samples.hots import replay as hots
from tests.samples.sc2 import replay as sc2
from tests.samples.sc2.events import sample_streams
from tests.samples.source2 import dota2, engine
from tests.samples.source2.deadlock.recording import WrittenMatch
from tests.samples.source2.match_demo import match_demo

from playhead import Limits
from playhead.bits import BitWriter
from playhead.blizzard.members import member_names
from playhead.blizzard.mpq import MpqArchive
from playhead.blizzard.mpq.compression import BZIP2, ZLIB
from playhead.blizzard.mpq.layout import UserData
from playhead.blizzard.mpq.writer import ARCHIVE_OFFSET, NewMember, write_archive
from playhead.io.source import open_source
from playhead.sc2.protocol.tables import distinct_builds, protocol_table
from playhead.source2.container.frames import PACKET, SEND_TABLES, SIGNON_PACKET, FrameIndex, frame_data
from playhead.source2.container.snappy import compress
from playhead.source2.messages import wire
from playhead.source2.messages.packet import inner_messages
from playhead.source2.playback.playback import Playback
from playhead.source2.playback.recording import Recording
from playhead.source2.string_tables.tables import LZSS
from playhead.source2.writing.broadcast import broadcast_parts
from playhead.source2.writing.demo import create_string_table, update_string_table
from playhead.source2.writing.field_lists import write_field_paths
from playhead.teehistorian.stream.header import MAGIC, read_header
from playhead.teehistorian.stream.messages import Extra, NetMessage
from playhead.teehistorian.stream.reader import MessageReader


def _packets(demo: bytes) -> Iterator[tuple[int, bytes]]:
    index = FrameIndex()
    view = memoryview(demo)
    index.read(view, Limits())
    for frame in index:
        if frame.command in (PACKET, SIGNON_PACKET):
            content = wire.decode("CDemoPacket", bytes(frame_data(view, frame, Limits())))
            yield frame.tick, content["data"]


def _source2() -> Iterator[tuple[str, bytes]]:
    for demo in (engine.sample_demo(), cs2.sample_demo()):
        view = memoryview(demo)
        index = FrameIndex()
        index.read(view, Limits())
        # Short ones are tried many times as often; the head and the schema are in them.
        yield "source2_demo", demo[: index[14].offset]
        yield "source2_demo", demo[: index[30].offset]
        yield "source2_frames", demo[: index[4].offset]
        yield "source2_frames", b"".join(demo[index[i].offset : index[i + 1].offset] for i in (0, 8, 12, 13, 20))
        packets = list(_packets(demo))
        yield from (("source2_packets", data) for _, data in packets[:40])
        for frame in index[:12]:
            content = bytes(frame_data(view, frame, Limits()))
            yield "source2_snappy", compress(content)
            yield from (("source2_wire", bytes([i]) + content) for i in range(7))
            if frame.command == SEND_TABLES:
                yield "source2_send_tables", len(content).to_bytes(3, "little") + content + bytes(range(64))
        for _, data in packets[:40]:
            for number, payload in inner_messages(data):
                yield "source2_wire", bytes([7 + number % (len(source2_wire.MESSAGES) - 7)]) + payload
    yield from _games()
    for flags in (0, 1):
        entries = [(i, f"name_{i}".encode(), b"value" * i) for i in range(20)]
        for varint in (False, True):
            create = create_string_table("t", entries, flags=flags, varint_sizes=varint, compress=varint)[1]
            update = update_string_table(0, entries[3:9], flags=flags, varint_sizes=varint)[1]
            yield "source2_string_tables", len(create).to_bytes(3, "little") + create + update
    paths = BitWriter()
    write_field_paths(paths, [(0,), (1, 0), (1, 1), (2,), (2, 0, 0), (2, 3, 1), (7,)])
    yield "source2_field_paths", paths.to_bytes()
    random = Random(1)
    yield from (("source2_entities", source2_entities.random_message(random)) for _ in range(20))
    for _ in range(20):
        yield "source2_past_states", pieces.join(source2_past_states.random_messages(random))
    yield from (("source2_lzss", data) for data in _lzss())
    yield from (("source2_followed", data) for data in _growing(engine.sample_demo()[:6000]))
    yield from _broadcasts()


def _games() -> Iterator[tuple[str, bytes]]:
    """Demos of the games, whole or their first frames, with the schema and some seconds of the match."""
    yield "source2_cs2_facts", cs2.sample_demo()
    yield "source2_dota2_facts", _first(dota2.sample_demo()[0], 300)
    for new in (False, True):
        yield "source2_deadlock_facts", _first(WrittenMatch(0.5, new=new).demo(), 150)


def _first(demo: bytes, count: int) -> bytes:
    index = FrameIndex()
    index.read(memoryview(demo), Limits())
    return demo[: index[min(count, len(index) - 1)].offset]


def _growing(data: bytes) -> Iterator[bytes]:
    """A file in pieces of several sizes."""
    for sizes in (b"\xff", b"\x21\x80", b"\x00\x22\x00\x40", bytes(range(8, 248, 16))):
        yield bytes([len(sizes) - 1]) + sizes + data
    yield b"\xf0\x60" + data


def _lzss() -> Iterator[bytes]:
    """Texts as literals, then a reference over the last eight bytes."""
    for text in (b"", b"userinfo", b"instancebaseline" * 40):
        out = bytearray(LZSS + (len(text) + (18 if text else 0)).to_bytes(4, "little"))
        items = [text[at : at + 1] for at in range(len(text))]
        if text:
            items += [bytes([0, 7 << 4 | 15]), bytes([0, 7 << 4 | 1])]
        items.append(bytes(2))
        for at in range(0, len(items), 8):
            group = items[at : at + 8]
            out.append(sum((len(item) == 2) << bit for bit, item in enumerate(group)))
            out += b"".join(group)
        yield bytes(out)


def _broadcasts() -> Iterator[tuple[str, bytes]]:
    """A short match as a broadcast, its fragments of a second; the whole, and what begins in its middle."""
    recording = Recording(open_source(match_demo(0.1)[0], Limits()))
    told, parts = b"", []
    for name, data in broadcast_parts(recording, Playback(recording, tables=None), seconds=1.0):
        if name == "sync":
            told = data
            continue
        number, kind = name.split("/")
        if int(number) < source2_broadcast.FRAGMENTS:
            parts.append(bytes([int(number) << 2 | source2_broadcast.KINDS.index(kind)]) + data)
    yield "source2_broadcast", pieces.join([told, *parts])
    yield "source2_broadcast", pieces.join([told, *parts[:4]])
    yield "source2_broadcast", pieces.join([told, parts[0], *parts[4:8]])
    packed = [part[:1] + gzip.compress(part[1:], mtime=0) for part in parts[:3]]
    yield "source2_broadcast", pieces.join([told, *packed, b"\x0e" + bytes(6)])


def small_archive() -> bytes:
    """An archive of three members, one of them in several sectors: the reader of archives sees nothing else."""
    members = [
        NewMember("replay.details", b"details" * 20, method=ZLIB),
        NewMember("replay.initData", bytes(range(256)) * 20, method=BZIP2),
        NewMember("replay.sync.events", b"stored"),
    ]
    return write_archive(members, bytes(16))


def _sc2() -> Iterator[tuple[str, bytes]]:
    streams = sample_streams(protocol_table(sc2.HEADER.base_build, sc2.HEADER.build))
    yield from (("sc2_json", bytes([place]) + streams[name]) for place, name in enumerate(sc2_json.STREAMS))
    data = sc2.sample_bytes()
    yield "sc2_replay", data
    yield "sc2_map", sc2_map.sound()
    yield "sc2_mpq", small_archive()
    yield "sc2_scan", small_archive()[ARCHIVE_OFFSET:]
    view = memoryview(data)
    archive = MpqArchive(view, ARCHIVE_OFFSET, member_names.KNOWN_NAMES)
    header = bytes(UserData.read(view).content)
    build = (
        distinct_builds().index(max(pair for pair in distinct_builds() if pair[0] <= sc2.HEADER.base_build)) % 256
    )
    content = {name: archive.read(name) for name in archive.names}
    for stream, name in enumerate(
        (member_names.GAME_EVENTS, member_names.MESSAGE_EVENTS, member_names.TRACKER_EVENTS)
    ):
        yield "sc2_bit_packed", bytes([stream, build]) + content[name][:4096]
        yield "sc2_bit_packed", bytes([stream | 64, build]) + content[name][:4096]
    for name in (member_names.DETAILS, member_names.TRACKER_EVENTS):
        yield "sc2_versioned", content[name][:4096]
    yield "sc2_versioned", header
    members = (
        content[member_names.GAME_ATTRIBUTES],
        b"",
        content[member_names.DETAILS],
        header,
        b"",
        content[member_names.INIT_DATA],
        data,
        b"IpaM" + bytes(60),
        content[member_names.METADATA],
        b"",
        content[member_names.RESUMABLE],
        content[member_names.SYNC_EVENTS],
    )
    yield from (("sc2_members", bytes([i, build]) + member) for i, member in enumerate(members))
    for kind, name in enumerate((member_names.DETAILS, member_names.INIT_DATA)):
        yield "sc2_blob_offsets", bytes([kind, build]) + content[name]
    for choice, archive_bytes in enumerate((*_archives(), small_archive())):
        yield "sc2_rewriter", bytes([1 + 7 * choice]) + archive_bytes
        yield "sc2_rewriter", bytes([0x99 >> choice]) + archive_bytes
    streams = (member_names.GAME_EVENTS, member_names.MESSAGE_EVENTS, member_names.TRACKER_EVENTS)
    for stream, name in enumerate(streams):
        events = content[name] * 3
        encoding = sc2_resume.encoding_of(distinct_builds()[build], stream)
        last = [loop for _, loop in encoding.events(events)][-1]
        head = bytes([stream + 3, build]) + last.to_bytes(4, "little")
        for start in (len(events) // 5, len(events) // 3):
            yield "sc2_resume", pieces.join([head, events[:start], events[start + 8 * (stream + 3) + 1 :]])


def _hots() -> Iterator[tuple[str, bytes]]:
    yield "hots_replay", hots.sample_bytes()


def _archives() -> Iterator[bytes]:
    """Archives with members stored in every way, one of each format."""
    for version in (1, 3):
        members = [
            NewMember(
                name,
                name.encode() * (400 if number == 1 else 20),
                method=(BZIP2, ZLIB, None)[number % 3],
                single_unit=number % 2 == 0,
                sector_checksums=True,
                encrypted=number > 1,
                fix_key=number > 2,
            )
            for number, name in enumerate(sorted(set(member_names.KNOWN_NAMES) - sc2_rewriter.OWN)[:6])
        ]
        yield write_archive(members, bytes(16), version=version)


def _teehistorian() -> Iterator[tuple[str, bytes]]:
    data = teehistorian.sample_bytes()
    header = read_header(memoryview(data), Limits())
    yield "teehistorian_recording", data
    yield "teehistorian_physics", data
    yield "teehistorian_header", data[: header.size]
    for start in range(header.size, len(data), 600):  # a piece ends within a message, the next begins in one
        yield "teehistorian_messages", b"\1" + data[start : start + 600]
    yield "teehistorian_recording", data[: header.size + 1200]
    yield from (("teehistorian_followed", grown) for grown in _growing(data[: header.size + 3000]))
    yield "teehistorian_map", teehistorian_map.sound()
    yield "teehistorian_demo", teehistorian_demo.sound()
    yield "teehistorian_ghost", teehistorian_ghost.sound()
    yield "teehistorian_index", teehistorian_index.sound()
    yield "teehistorian_index", pieces.join(teehistorian_index.parts())
    for _, message in MessageReader(data, header.size):
        if isinstance(message, Extra) and message.uuid in teehistorian_extensions.UUIDS:
            number = teehistorian_extensions.UUIDS.index(message.uuid)
            yield "teehistorian_extensions", bytes([number]) + message.data
        elif isinstance(message, NetMessage):
            yield from (("teehistorian_network", bytes([protocol]) + message.data) for protocol in range(3))


@cache
def _of_format(prefix: str) -> dict[str, tuple[bytes, ...]]:
    sources = {"source2": _source2, "sc2": _sc2, "hots": _hots, "teehistorian": _teehistorian}
    source = sources.get(prefix, lambda: iter(()))
    found: dict[str, dict[bytes, None]] = {}
    for name, data in source():
        found.setdefault(name, {})[data] = None
    for name in NAMES:  # bytes that choose the change
        if name.partition("_")[0] == prefix and (name.endswith("_meaning") or prefix not in sources):
            found[name] = dict.fromkeys(bytes([first, first // 3, 1, first]) for first in range(12))
    return {name: tuple(inputs) for name, inputs in found.items()}


def seeds_of(name: str) -> tuple[bytes, ...]:
    """The seeds of a target, none twice, in an order that is always the same."""
    return _of_format(name.partition("_")[0])[name]


def seeds() -> dict[str, tuple[bytes, ...]]:
    """The seeds of every target."""
    return {name: seeds_of(name) for name in NAMES}


def dictionary(name: str) -> list[bytes]:
    """Words that inputs of a target are made of."""
    if name.startswith("source2"):
        return [
            b"PBDEMS2\0",
            b"instancebaseline",
            b"userinfo",
            b"LZSS",
            *(each.encode() for each in source2_wire.MESSAGES),
        ]
    if name.startswith(("sc2", "hots")):
        return [
            b"MPQ\x1a",
            b"MPQ\x1b",
            b"StarCraft II replay\x1b11",
            b"Heroes of the Storm replay\x1b11",
            *(each.encode() for each in member_names.KNOWN_NAMES),
        ]
    uuids: list[UUID] = teehistorian_extensions.UUIDS
    return [MAGIC, b'"version":"2"', *(each.bytes for each in uuids)]


def write(folder: Path) -> None:
    """A folder of seeds, and a dictionary as libFuzzer reads it, for each target."""
    for name, inputs in seeds().items():
        (folder / name).mkdir(parents=True, exist_ok=True)
        for number, data in enumerate(inputs):
            (folder / name / f"seed_{number:03}").write_bytes(data)
        words = ("".join(f"\\x{byte:02x}" for byte in word) for word in dictionary(name))
        (folder / f"{name}.dict").write_text("".join(f'"{word}"\n' for word in words))


if __name__ == "__main__":
    write(Path(sys.argv[1]))
