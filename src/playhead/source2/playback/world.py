"""`World`: the state of a Source 2 recording at one moment."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, cast

from playhead.clock import Clock
from playhead.model import Moment, Player
from playhead.source2.entities.entity import Entity
from playhead.source2.entities.manager import EntityManager
from playhead.source2.playback.playback import Playback
from playhead.source2.string_tables.tables import StringTables

#: Facts of a moment that a game derives from fields of entities, and their values if they cannot be derived.
_FACTS: Mapping[str, Any] = {"players": (), "resources": {}, "unit_counts": (), "facts": {}}


class World(Moment):
    """The state after everything up to and including `tick`.

    Each world has its own playhead: `advance` does not affect other worlds of the same replay. A fact that a game
    cannot derive, because a field has another type, is empty and a problem of the replay.
    """

    def __init_subclass__(cls, **given: Any) -> None:
        super().__init_subclass__(**given)
        for name in vars(cls).keys() & _FACTS.keys():
            setattr(cls, name, _guarded(cls.__name__, name, vars(cls)[name]))

    def __init__(
        self, playback: Playback, tick: int, clock: Clock | None, players: Callable[[], Iterable[Player]]
    ) -> None:
        """Wrap a playback at `tick`; `players` is called on access."""
        self._playback = playback
        self._tick = tick
        self._clock = clock
        self._players = players

    @property
    def tick(self) -> int:
        """The demo tick; -1 is after the sign-on."""
        return self._tick

    @property
    def clock(self) -> Clock | None:
        """The clock of the recording; see `Moment.clock`."""
        return self._clock

    @property
    def entities(self) -> EntityManager:
        """All networked objects."""
        return self._playback.entities

    @property
    def string_tables(self) -> StringTables:
        """The string tables."""
        return self._playback.string_tables

    @property
    def server_info(self) -> Mapping[str | int, Any]:
        """Fields of CSVCMsg_ServerInfo."""
        return self._playback.server_info

    def advance(self, ticks: int = 1) -> World:
        """Play on by that many ticks; return this world.

        Raises:
            ValueError: `ticks` is negative.
        """
        if ticks < 0:
            raise ValueError(f"expected a number of ticks to advance by, got {ticks}; use `Replay.at` to go back")
        self._tick += ticks
        self._playback.advance(self.tick)
        return self

    @property
    def raw(self) -> EntityManager:
        """The same as `entities`: networked objects with every field as sent."""
        return self.entities

    @property
    def units(self) -> Mapping[int, Entity]:
        """The entities by index."""
        return {entity.index: entity for entity in self.entities}

    @property
    def unit_counts(self) -> Sequence[Mapping[str, Any]]:
        """Number of entities of each class, the most frequent class first."""
        counts = Counter(entity.class_name for entity in self.entities)
        return [
            {"player": None, "unit_type": name, "count": counts[name]}
            for name in sorted(counts, key=lambda name: (-counts[name], name))
        ]

    @property
    def players(self) -> Sequence[Mapping[str, Any]]:
        """The players named in the recording; games with known facts add more."""
        return [{key: getattr(player, key) for key in self.PLAYER_KEYS} for player in self._players()]

    @property
    def facts(self) -> Mapping[str, Any]:
        """The number of entities."""
        return {"entities": len(self.entities)}

    def __getitem__(self, class_name: str) -> list[Entity]:
        """Return the entities of a class, by its name."""
        return self.entities.find_all_by_class_name(class_name)

    def _ipython_key_completions_(self) -> list[str]:
        return sorted({entity.class_name for entity in self.entities})


def _guarded(owner: str, name: str, fact: property) -> property:
    get = cast("Callable[[World], Any]", fact.fget)

    def read(world: World) -> Any:
        guard = world._playback.guard
        return guard.read(f"{owner}.{name}", lambda: get(world), _FACTS[name], f"the {name} of a moment")

    return property(read, doc=fact.__doc__)
