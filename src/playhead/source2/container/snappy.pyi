from typing import final

from typing_extensions import Buffer

from playhead.bits.bit_reader import BitReader

@final
class SnappyBlock:
    @property
    def reader(self) -> BitReader: ...
    @property
    def size(self) -> int: ...
    def __init__(self, most: int) -> None: ...

def decompress(block: Buffer, most: int) -> bytes: ...
