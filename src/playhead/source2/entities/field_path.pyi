from typing import final

from playhead.bits.bit_reader import BitReader

@final
class FieldPathReader:
    def __init__(self) -> None: ...
    def read_paths(self, reader: BitReader) -> list[tuple[int, ...]]: ...
