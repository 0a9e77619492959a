from collections.abc import Sequence
from typing import NamedTuple, final

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
