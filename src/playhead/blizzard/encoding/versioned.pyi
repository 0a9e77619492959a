from typing import Any, NamedTuple, final

from typing_extensions import Buffer

DEEPEST: int

class StoredBits(NamedTuple):
    bits: int
    data: bytes

class Choice(NamedTuple):
    tag: int
    value: Any

@final
class VersionedReader:
    def __init__(
        self, data: Buffer, offset: int = 0, *, max_depth: int = 64, max_elements: int = 1 << 20
    ) -> None: ...
    def tell(self) -> int: ...
    def remaining(self) -> int: ...
    def read_value(self) -> Any: ...
