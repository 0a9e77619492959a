from array import array
from typing import NamedTuple

class SyncCheck(NamedTuple):
    tick: int
    flag: int
    checksum: int

class SyncColumns(NamedTuple):
    ticks: array[int]
    flags: array[int]
    checksums: array[int]
    def checks(self) -> list[SyncCheck]: ...

def read_sync(data: bytes) -> SyncColumns: ...
