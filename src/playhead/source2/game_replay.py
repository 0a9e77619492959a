"""`GameReplay`: a Source 2 recording of a game with tables of facts besides the engine's tables."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from playhead.runtime.garbage import GC_PAUSED
from playhead.runtime.libraries import pa
from playhead.source2.replay import Source2Replay

if TYPE_CHECKING:
    from playhead.clock import Clock
    from playhead.source2.playback.collector import Collector
    from playhead.source2.playback.playback import Playback
    from playhead.source2.tables.entities import EntityQuery


class GameReplay(Source2Replay):
    """A `Source2Replay` with tables of facts, made by collectors that share a `GameMatch`."""

    @abstractmethod
    def _facts(
        self, kinds: Iterable[type[Any]], options: Mapping[str, Any] = MappingProxyType({})
    ) -> list[Collector]:
        """Return collectors of facts, after the follower that updates their shared inputs."""

    def _make_collectors(self, kinds: Iterable[type[Collector]], options: Mapping[str, Any]) -> list[Collector]:
        from playhead.source2.game_match import GameFacts

        facts = [kind for kind in kinds if issubclass(kind, GameFacts)]
        made = super()._make_collectors([kind for kind in kinds if kind not in facts], options)
        return [*made, *self._facts(facts, options)] if facts else made

    def tables_with(self, names: Iterable[str], more: type[Collector]) -> Mapping[str, Any]:
        """Return tables by name, and those of another collector, in one pass."""
        known = self._registry().tables()
        wanted = frozenset((*names, *(schema.name for schema in more.schemas)))
        with self.lock, GC_PAUSED:
            return self._collect([*dict.fromkeys(known[name] for name in names), more], {}, wanted=wanted)

    def _table_options(self, name: str) -> Sequence[str]:
        kind = self._registry().own().get(name)
        return () if kind is None else kind.options

    def _build_with(self, name: str, options: Mapping[str, Any], columns: Sequence[str] | None) -> pa.Table:
        kind = self._registry().own()[name]
        only = {"columns": columns} if kind.selects and columns is not None else {}
        return self._collect([kind], {**options, **only})[name]

    def _collect(
        self,
        kinds: Iterable[type[Collector]],
        options: Mapping[str, Any],
        queries: Iterable[EntityQuery] = (),
        *,
        check: bool = False,
        wanted: frozenset[str] | None = None,
        playback: Playback | None = None,
    ) -> dict[str, pa.Table]:
        from playhead.tables.shared import CHAT

        built = super()._collect(kinds, options, queries, check=check, wanted=wanted, playback=playback)
        if CHAT.name in built:
            built[CHAT.name] = self._with_names(built[CHAT.name])
        return built

    def _with_names(self, chat: pa.Table) -> pa.Table:
        """Fill the names in table ``chat``: messages of a game's own contain only the player's number."""
        from playhead.tables.shared import CHAT

        rows = chat.to_pylist()
        if all(row["name"] is not None or row["player"] is None for row in rows):
            return chat
        names = {player.player: player.name for player in self.players}
        return self.schema_of(CHAT.name).build_rows(
            [{**row, "name": row["name"] or names.get(row["player"])} for row in rows]
        )

    @property
    def recording_clock(self) -> Clock | None:
        """As `Replay.recording_clock`; unlike `clock`, it does not play the recording."""
        return self.info.clock

    def _playback_at(self, tick: int, collectors: Iterable[Collector]) -> Playback:
        """Return a playback of everything at a tick; the collectors followed it there."""
        playback = self.playback(None)
        for collector in collectors:
            collector.attach(playback)
        playback.seek(tick)
        return playback

    def _look_at_end(self, collectors: Sequence[Collector]) -> bool:
        """Play to the last tick for the collectors; False if there is nothing to play.

        Damage on the way is ignored: `problems` finds it in the whole file, and playbacks that start elsewhere may
        not meet it.
        """
        last = self.recording.frames.highest_tick()
        if last is None or last < 0 or not self.recording.declares_classes:
            return False
        from playhead.source2.playback.recording import raise_problem

        on_problem = raise_problem if self.options.strict else lambda _error, _cost: None
        self.playback_for(collectors, on_problem=on_problem).seek(last)
        return True
