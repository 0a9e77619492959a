"""Frames and inner messages of a Dota 2 demo: playhead against gem-dota, on the same file in the same run.

    python benchmarks/bench_source2.py [FILE.dem]

Without a file, a synthetic recording of about 60 MB is made. gem-dota's stream gives the outer frames and its bit
reader walks the inner messages; it has no function that does both.
"""

from __future__ import annotations

import random
import sys
from pathlib import Path

from fastest import fastest

import playhead
from playhead.source2.container.frames import DemoStream
from playhead.source2.messages.wire import encode, field_bytes
from playhead.source2.writing.demo import DemoWriter


def synthetic(ticks: int = 40_000) -> bytes:
    """Packets like those of a match: a tick, entities, now and then a handful of small messages."""
    dice = random.Random(1)
    words = [dice.randbytes(12) for _ in range(200)]
    writer = DemoWriter({"game": "dota", "map_name": "start"})
    writer.signon([(40, encode("CSVCMsg_ServerInfo", {"tick_interval": 1 / 30}))])
    for tick in range(1, ticks):
        entities = b"".join(dice.choices(words, k=dice.randrange(60, 160)))
        small = [(dice.choice((145, 208, 554)), dice.choice(words) * 2) for _ in range(dice.randrange(0, 12))]
        writer.packet(tick, [(4, b"\x08\x01"), (55, entities), *small])
    return writer.finish(ticks, {"playback_ticks": ticks})


def ours(data: bytes) -> int:
    return playhead.open(data).table("messages").num_rows


def gem(data: bytes) -> int:
    from gem.binary.reader import BitReader
    from gem.binary.stream import DemoStream as GemStream

    count = 0
    for _, command, payload in GemStream(data):
        packet = field_bytes(payload, 3) if command in (7, 8) else None
        if packet is None:
            continue
        reader = BitReader(packet)
        while reader.rem_bits() >= 8:
            reader.read_ubit_var()
            reader.read_bytes(reader.read_varuint32())
            count += 1
    return count


def main() -> None:
    data = Path(sys.argv[1]).read_bytes() if len(sys.argv) > 1 else synthetic()
    raw = sum(len(payload) for _, _, payload in DemoStream(data))
    print(f"{len(data) / 1e6:.1f} MB, {raw / 1e6:.1f} MB decompressed")
    mine, rows = fastest(lambda: ours(data), 5)
    print(f"playhead, table 'messages': {mine:.3f} s, {rows} rows, {raw / mine / 1e6:.0f} MB/s decompressed")
    try:
        theirs, messages = fastest(lambda: gem(data), 2)
    except ImportError:
        print("gem-dota is not installed: no peer in this run")
        return
    print(f"gem-dota, frames and message heads: {theirs:.3f} s, {messages} messages")
    print(f"playhead is {theirs / mine:.1f} times as fast")


main()
