from collections.abc import Callable, Container, Mapping, Sequence
from typing import final

from playhead.dota2.sources.combat_log_entry import Entry
from playhead.dota2.sources.hero_lives import LoggedDeath
from playhead.source2.entities.entity import Entity

COUNTS: tuple[str, ...]
HERO_ENTRY_TYPES: tuple[str, ...]

@final
class HeroEntries:
    @property
    def deaths(self) -> list[tuple[int, LoggedDeath, float | None, float | None]]: ...
    def __init__(self) -> None: ...
    def __len__(self) -> int: ...
    def append(
        self,
        entries: Sequence[Entry],
        known: Container[int],
        players: dict[int, int],
        find: Callable[[int], int],
        hero_of: Callable[[int], Entity | None],
    ) -> None: ...
    def count(
        self,
        fights: Sequence[tuple[int, int, float | None, float | None]],
        fight_of_death: Mapping[int, int],
        teams: Mapping[int, int],
        radius: float,
    ) -> list[dict[int, list[int]]]: ...
