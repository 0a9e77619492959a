"""Frames and inner messages of a Dota 2 demo: playhead and gem-dota, on the same file in the same run.

    python benchmarks/bench_source2.py [FILE.dem]

Without a file, it creates a synthetic match of forty minutes and realistic size. Times are CPU seconds.
gem-dota's stream yields the outer frames, and its bit reader walks the inner messages; it has no function for
both.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from fastest import fastest
from real_match import real_match

import playhead
from playhead.source2.container.demo_stream import DemoStream
from playhead.source2.messages.wire import field_bytes


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
    with tempfile.TemporaryDirectory() as folder:
        path = Path(sys.argv[1]) if len(sys.argv) > 1 else real_match(folder, 40)
        data = path.read_bytes()
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
