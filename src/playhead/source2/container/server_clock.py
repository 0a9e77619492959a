"""`ServerClock`: separates the fragments of one broadcast from those of another by the clock of their server."""

from __future__ import annotations

from collections.abc import Callable

from playhead.bits import ByteReader
from playhead.errors import CorruptReplay, ReplayError
from playhead.source2.container import frames
from playhead.source2.container.fragment_copy import read_frame
from playhead.source2.container.snappy import decompress

#: Bytes of the first packet of a fragment; a larger one is not looked at.
_MOST = 1 << 20


class ServerClock:
    """The difference of the ticks of server and recording, which is constant in a recording.

    Args:
        server_tick_of: returns the tick of the server in the messages of a packet; None without one.
    """

    def __init__(self, server_tick_of: Callable[[bytes], int | None]) -> None:
        self._server_tick_of = server_tick_of
        self._difference: int | None = None

    def compare(self, data: bytes) -> CorruptReplay | None:
        """Return an error if the first packet of a fragment has another difference than the fragment before."""
        reader = ByteReader(data)
        try:
            while reader.remaining():
                command, tick, payload = read_frame(reader, _MOST)
                if command & ~frames.COMPRESSED == frames.PACKET:
                    packet = decompress(memoryview(payload), _MOST) if command & frames.COMPRESSED else payload
                    server_tick = self._server_tick_of(bytes(packet))
                    return None if server_tick is None else self._step(server_tick - tick)
        except ReplayError:
            pass  # reported when the frames are read
        return None

    def _step(self, found: int) -> CorruptReplay | None:
        before, self._difference = self._difference, found
        if before is None or before == found:
            return None
        return CorruptReplay(
            f"expected ticks of the server {before} after those of the recording, as before, found {found}: "
            "this fragment and the one before it are of two broadcasts"
        )
