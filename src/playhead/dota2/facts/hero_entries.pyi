from array import array
from collections.abc import Mapping, Sequence
from typing import NamedTuple

COUNTS: tuple[str, ...]
HERO_ENTRY_TYPES: tuple[str, ...]

class HeroEntries(NamedTuple):
    ticks: array[int]
    kinds: array[int]
    doers: array[int]
    targets: array[int]
    values: array[int]
    xs: array[float]
    ys: array[float]
    numbers: array[int]

def rows_of_heroes(
    entries: array[int],
    players: array[int],
    ends: array[int],
    begins: Sequence[int],
    slots: Sequence[Mapping[int, int]],
) -> array[int]: ...
def count_by_fight(
    entries: HeroEntries,
    fights: Sequence[tuple[int, int, float | None, float | None]],
    fight_of_death: Mapping[int, int],
    teams: Mapping[int, int],
    radius: float,
) -> list[dict[int, list[int]]]: ...
