from typing import Any, final

from playhead.limits import Limits

COMPRESSED_VALUES: int

@final
class EntryReader:
    def __init__(
        self, data: Any, fixed_bits: int, compressed: bool, varint_sizes: bool, limits: Limits
    ) -> None: ...
    def read(self, names: Any) -> Any: ...
