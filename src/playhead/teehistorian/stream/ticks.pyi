from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, final

MAX_CLIENTS: int
INPUT_LENGTH: int

@final
@dataclass
class PlayerDiff:
    cid: int
    dx: int
    dy: int

@final
@dataclass
class TickSkip:
    dt: int

@final
@dataclass
class PlayerNew:
    cid: int
    x: int
    y: int

@final
@dataclass
class PlayerOld:
    cid: int

class TenNumbers:
    cid: int
    __match_args__ = ("cid", "values")
    def __init__(self, cid: int, values: Sequence[int]) -> None: ...
    @property
    def values(self) -> tuple[int, ...]: ...
    @values.setter
    def values(self, values: Sequence[int]) -> None: ...
    def __eq__(self, other: object) -> bool: ...
    def __repr__(self) -> str: ...
    def __reduce__(self) -> tuple[type, tuple[object, ...]]: ...

@final
class InputDiff(TenNumbers): ...

@final
class InputNew(TenNumbers): ...

class Input(NamedTuple):
    direction: int
    cursor_x: int
    cursor_y: int
    jump: int
    fire: int
    hook: int
    player_flags: int
    wanted_weapon_id: int
    next_weapon: int
    prev_weapon: int

INPUT_FIELDS: tuple[str, ...]

@final
class InputTracker:
    def __init__(self) -> None: ...
    def replace(self, cid: int, values: Sequence[int]) -> bool: ...
    def change(self, cid: int, differences: Sequence[int]) -> bool: ...
    def get(self, cid: int) -> Input | None: ...

@final
class PositionTracker:
    def __init__(self) -> None: ...
    def appear(self, cid: int, x: int, y: int) -> bool: ...
    def move(self, cid: int, dx: int, dy: int) -> bool: ...
    def vanish(self, cid: int) -> bool: ...
    def get(self, cid: int) -> tuple[int, int] | None: ...
    def __len__(self) -> int: ...
