from array import array
from typing import final

from playhead.runtime.libraries import pa

@final
class JsonColumn:
    def __init__(
        self,
        key: bytes,
        kind: int,
        there: array[int],
        wholes: array[int],
        reals: array[float],
        ends: array[int],
        texts: list[bytes],
    ) -> None: ...

@final
class JsonRows:
    def __init__(self) -> None: ...
    def add(self, name: str, values: pa.Array, *, parse: bool = False) -> None: ...
    def write(self, count: int) -> pa.ChunkedArray: ...

def merged_rows(parts: list[JsonRows], part_of: pa.Array, row_of: pa.Array) -> pa.ChunkedArray: ...
