"""`Dota2Replay`: a Source 2 demo of Dota 2, with tables of facts besides the engine's tables."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

from playhead.recorded import LOST
from playhead.runtime.records import replace
from playhead.runtime.typing import TYPE_CHECKING, Any
from playhead.source2.game_replay import GameReplay

if TYPE_CHECKING:
    from playhead.dota2.facts.player_series import MatchWorld
    from playhead.export.documents import Document
    from playhead.model import Info, Player
    from playhead.source2.playback.collector import Collector

# Modules of facts are imported in functions: a playback alone does not need them.


class Dota2Replay(GameReplay["MatchWorld"]):
    """One Dota 2 match: a `GameReplay`."""

    checks_lives = True

    def _unfilled_reasons(self) -> Mapping[str, str]:
        from playhead.dota2.facts.combat_log import COMBAT_LOG, VIEWS
        from playhead.dota2.facts.player_series import HERO_STATE
        from playhead.dota2.facts.player_stats import OFFICIAL, RESOURCE_FIELDS, TEAM_DATA_FIELDS
        from playhead.dota2.sources.unfilled import reasons_of
        from playhead.source2.tables.info import UNDECIDED

        log = [COMBAT_LOG, *(view.schema for view in VIEWS)]
        columns = [f"{schema.name}.{name}" for schema in log for name in schema.column_names]
        return {
            **super()._unfilled_reasons(),
            **UNDECIDED,
            **dict.fromkeys(columns, "no entry of the combat log carries it"),
            **reasons_of(self.recording, TEAM_DATA_FIELDS, RESOURCE_FIELDS, HERO_STATE, OFFICIAL),
        }

    def _empty(self, names: Sequence[str] | None, columns: bool | Collection[str]) -> Mapping[str, str]:
        from playhead.dota2.sources.unfilled import OF_LOG

        found = dict(super()._empty(names, columns))
        logged = dict.fromkeys(OF_LOG & found.keys(), "the recording has no combat log")
        if names is None or "item_events" in names:
            changes = self.table("item_events", columns=["change"])["change"].unique().to_pylist()
            if "purchase" not in changes:
                logged["item_events"] = "the recording has no combat log, which tells of purchases, uses and sales"
        if logged and not self.table("combat_log", columns=["tick"]).num_rows:
            found |= {name: why for name, why in logged.items() if not found.get(name, "").startswith(LOST)}
        return found

    @property
    def documents(self) -> Mapping[str, Document]:
        """As `Replay.documents`: ``opendota``."""
        from playhead.dota2.opendota import OPENDOTA

        return {"opendota": OPENDOTA}

    def _collect(
        self, kinds: Iterable[type[Collector]], options: Mapping[str, Any], *queries: Any, **more: Any
    ) -> dict[str, Any]:
        if options.get("clock") != "game":
            return super()._collect(kinds, options, *queries, **more)
        with self._sharing(1):  # its samples need the clock from the start
            return super()._collect(kinds, options, *queries, **more)

    def _moment(self, tick: int) -> MatchWorld:
        from playhead.dota2.facts.player_series import MatchWorld, PlayerSnapshot

        follower, snapshot = self._facts([PlayerSnapshot])
        assert isinstance(snapshot, PlayerSnapshot)
        return MatchWorld(self._playback_at(tick, (follower, snapshot)), tick, snapshot)

    def _load_info(self) -> Info:
        """As `brief_info`; if FileInfo names no winner, with that of the game rules at the end."""
        from playhead.dota2.sources.match import SIDES, Dota2Follower

        found = super()._load_info()
        if found.winner_team is not None:
            return found
        (follower,) = self._facts(())
        assert isinstance(follower, Dota2Follower)
        played = self._look_at_end([follower])
        follower.match.clock.catch_up()  # if the recording ends with a full packet
        winner = follower.match.winner if played else None
        return replace(found, winner_team=winner, winner_side=SIDES.get(winner or 0))

    def _load_players(self) -> tuple[Player, ...]:
        """Return the players that FileInfo lists. Without FileInfo, return those of the entities at the end of the
        recording: the userinfo table has no teams, and includes observers.
        """
        if not self.recording.match_info.get("player_info"):
            found = self._players_of_state()
            if found:
                return found
        return super()._load_players()

    def _players_of_state(self) -> tuple[Player, ...]:
        from playhead.dota2.facts.player_stats import PlayerStats, player_of
        from playhead.dota2.sources.match import Dota2Follower

        follower, stats = self._facts([PlayerStats])
        assert isinstance(stats, PlayerStats)
        assert isinstance(follower, Dota2Follower)
        played = self._look_at_end([follower, stats])
        follower.match.clock.catch_up()
        return tuple(map(player_of, stats.rows())) if played else ()
