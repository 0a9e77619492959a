"""Bit-packed values: reader calls chosen by the data, and the events of a build. The first byte selects both."""

from __future__ import annotations

from playhead.blizzard.encoding.bit_packed import BitPackedReader
from playhead.blizzard.events.columns import decode_stream
from playhead.sc2.protocol.tables import distinct_builds, event_program


def fuzz(data: bytes) -> None:
    if len(data) < 2:
        return
    builds = distinct_builds()
    base, build = builds[data[1] % len(builds)]
    stream = ("game", "message", "tracker")[data[0] % 3]
    decode_stream(data[2:], event_program(base, build, stream), stream, text=bool(data[0] & 64))
    reader = BitPackedReader(data[2:])
    for choice in data[:64]:
        action, count = choice & 7, choice >> 3
        if action == 0:
            reader.read_int(count)
        elif action == 1:
            reader.read_blob(count % 12)
        elif action == 2:
            reader.read_loop_delta()
        elif action == 3:
            reader.read_aligned_bytes(count)
        elif action == 4:
            reader.read_wide_int(count * 4)
        elif action == 5:
            reader.skip_bits(count)
        elif action == 6:
            reader.read_fourcc()
        else:
            reader.align()
        assert reader.remaining() <= 8 * len(data)
