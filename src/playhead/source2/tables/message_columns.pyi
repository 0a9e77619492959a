from typing import final

from typing_extensions import Buffer

from playhead.tables.column_buffers import Int32Buffer, Int64Buffer

NO_MESSAGE: int
NOTHING: int
MOST_IN_A_PACKET: int

@final
class MessageColumns:
    taken: list[tuple[int, int, bytes]]
    counts: dict[int, int]
    ticks: Int32Buffer
    frames: Int32Buffer
    commands: Int32Buffer
    ids: Int32Buffer
    sizes: Int32Buffer
    offsets: Int64Buffer
    def __init__(self, wanted: frozenset[int], store: bool = True, wanted_from: int = 2147483648) -> None: ...
    def add_frame(self, frame: int, tick: int, command: int, offset: int, size: int) -> int: ...
    def add_packet(self, frame: int, tick: int, command: int, offset: int, data: Buffer) -> int: ...
