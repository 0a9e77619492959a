from typing import NamedTuple

class SyncCheck(NamedTuple):
    tick: int
    flag: int
    checksum: int

def read_sync(data: bytes) -> list[SyncCheck]: ...
