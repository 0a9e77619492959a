from collections.abc import Sequence
from typing import Any, final

from playhead.bits.bit_writer import BitWriter
from playhead.source2.schema.tree import Slot

@final
class FieldList:
    def __init__(self, slots: Sequence[Slot]) -> None: ...
    def __len__(self) -> int: ...
    def write(self, writer: BitWriter, values: Sequence[Any]) -> None: ...
