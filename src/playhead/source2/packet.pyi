from typing import final

from typing_extensions import Buffer

@final
class PacketReader:
    id: int
    size: int
    def __init__(self, data: Buffer) -> None: ...
    def advance(self) -> int: ...
    def payload(self) -> bytes: ...
