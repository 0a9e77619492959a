from typing import final

from playhead.source2.messages.wire_decoder import FieldPlan
from playhead.tables.json_columns import ByteBuffer

@final
class FieldReader:
    @property
    def others(self) -> bool: ...
    def __init__(self, text: ByteBuffer | None, skips: bool = False) -> None: ...
    def read(self, plan: FieldPlan, payload: bytes) -> bool: ...
