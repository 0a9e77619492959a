from typing import Any, final

from playhead.bits.bit_reader import BitReader
from playhead.source2.schema.encoding import Encoding

@final
class ValuePool:
    def __init__(self) -> None: ...
    def value(self, number: int) -> bytes: ...

@final
class FieldDecoder:
    kind: int
    cells: int
    def __init__(self, encoding: Encoding) -> None: ...
    def read(self, reader: BitReader) -> Any: ...
