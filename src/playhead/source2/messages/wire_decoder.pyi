from collections.abc import Mapping, Sequence
from typing import Any, final

from typing_extensions import Buffer

KINDS: tuple[str, ...]
WIRE_TYPES: tuple[int, ...]
MAX_DEPTH: int
MAX_FIELDS: int

@final
class WireDecoder:
    @property
    def name(self) -> str: ...
    def __init__(self, name: str, fields: Sequence[tuple[int, int, str, bool]], max_fields: int = ...) -> None: ...
    def link(self, place: int, target: WireDecoder | Mapping[int, str]) -> None: ...
    def gather(self, place: int) -> None: ...
    def decode(self, data: Buffer) -> dict[str | int, Any]: ...

def field_bytes(data: bytes | memoryview, number: int, max_fields: int = ...) -> bytes | None: ...
