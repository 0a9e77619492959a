"""`Sc2Recording`: a replay's container, members, streams, players and names; the tables read it."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING
from weakref import proxy

from playhead.blizzard.members import member_names
from playhead.blizzard.protocol.tables import GAME, TRACKER
from playhead.errors import CorruptReplay
from playhead.io.source import Source
from playhead.limits import Limits
from playhead.model import Player, ProblemHandler
from playhead.runtime.cached import cached_property
from playhead.sc2.members import lobby_players, players
from playhead.sc2.members.attribute_names import GAME_NAMESPACE
from playhead.sc2.members.clock import NORMAL_LOOPS_PER_SECOND, game_clock, loops_per_second
from playhead.sc2.members.game_data import VOID, game_of
from playhead.sc2.members.lobby import FIRST_SETUPS, PlayerSetup, players_by_user
from playhead.sc2.members.players import FIRST_RETAIL_BUILD
from playhead.sc2.members.setting import ARCADE, ARCHON, COOP, has_own_rules, setting_facts
from playhead.sc2.recording.game import FIRST_TRACKER, STARCRAFT2
from playhead.sc2.recording.members import Members

if TYPE_CHECKING:
    from playhead.blizzard.events import Scope
    from playhead.sc2.abilities.names import AbilityNames, Catalog
    from playhead.sc2.state.players.starts import LateStart
    from playhead.sc2.state.players.winner import Inference, Side
    from playhead.sc2.state.timeline import Timeline


class Sc2Recording(Members):
    """One replay file. Everything is decoded on first access and cached."""

    def __init__(self, source: Source, limits: Limits, note: ProblemHandler, *, strict: bool) -> None:
        super().__init__(source, STARCRAFT2, limits, note, strict=strict)
        self._catalog: Catalog | None = None

    # -- clock ------------------------------------------------------------------------------------------

    @property
    def loops_per_second(self) -> float:
        """Game loops in one second of the clock that the game shows."""
        return loops_per_second(self.use_scaled_time)

    @property
    def speed(self) -> int | None:
        """The speed of the game as an index in `clock.GAME_SPEEDS`; None if unknown."""
        if self.details is not None:
            return self.details.game_speed
        if self.replay_info is not None:
            return self.replay_info.game_speed
        return None if self.lobby is None else self.lobby.game["m_gameSpeed"]

    @cached_property
    def duration(self) -> tuple[int | None, str]:
        """The length in loops, and its source: the header, the last event, or the summary's seconds."""
        if self.container.header is not None:
            return self.container.header.loops, "header"
        streams = [stream for name in (GAME, TRACKER) if (stream := self.stream(name)) is not None and len(stream)]
        if streams and any(stream.error is None for stream in streams):
            return max(stream.rows.heads[0][-1] for stream in streams), "last event"
        if self.metadata is not None and self.metadata.duration is not None:
            return round(self.metadata.duration * NORMAL_LOOPS_PER_SECOND), "metadata"
        return None, "nothing"

    @cached_property
    def late_start(self) -> LateStart | None:
        """The start of a game that begins after its recording: GameHeart, in Heart of the Swarm."""
        if self.builds[1] < FIRST_TRACKER or game_of(self.cache_handles, self.data_build) == VOID:
            return None
        from playhead.sc2.state.players.starts import late_start

        return late_start(self.stream(TRACKER))

    @property
    def start_tick(self) -> int:
        """Loop at which the game begins."""
        return 0 if self.late_start is None else self.late_start.tick

    def decode_rest(self) -> None:
        """Decode unread members to find their problems."""
        super().decode_rest()
        tracker = self.stream(TRACKER)
        if tracker is None or tracker.error is not None:
            return
        from playhead.sc2.recording.expected import missing

        own_rules = self.lobby is not None and has_own_rules(self.lobby, self.attributes)
        for what, cost in missing(tracker, own_rules=own_rules):
            self.note(CorruptReplay(what).locate(where=member_names.TRACKER_EVENTS), cost)

    # -- players ----------------------------------------------------------------------------------------

    @cached_property
    def players(self) -> tuple[Player, ...]:
        """The participants, from details, lobby, attributes, metadata and tracker."""
        build = self.builds[1]
        old, lobby = self.replay_info, self.lobby
        listed = None
        if self.details is not None and not self.details.players:
            error = CorruptReplay("expected the players, found none").locate(where=member_names.DETAILS)
            self.note(error, "what only the details have of the players")
        elif self.details is not None:
            listed = players.from_details(self.details, build)
            if build < players.FIRST_RELIABLE_ROLES and lobby is not None:
                listed = players.with_lobby_teams(listed, lobby.slots)
        elif old is not None:
            listed = players.from_replay_info(old)
        users = {place: event for event, place in self.users_by_event.items()}
        known = lobby_players.Sources(lobby, self.attributes, users, build, self._slot_numbers)
        found = lobby_players.with_lobby(listed, known, by_name=old is not None)
        found = players.with_summary(found, self.metadata, results=listed is None)
        if listed is None:
            mode = setting_facts(lobby, self.attributes, found, ())["mode"]
            # Without the lobby a mission looks like a melee game, but its computers did not pick these races.
            own = lobby is None and any(row.namespace != GAME_NAMESPACE for row in self.attributes)
            kinds = () if own or mode in (COOP, ARCADE) else ("human",) if lobby is None else ("human", "computer")
            from playhead.sc2.state.players.starts import starting_races

            found = lobby_players.with_races(found, starting_races(self.stream(TRACKER)), picks=kinds)
        if self.late_start is not None:
            found = lobby_players.with_late_start(found, self.late_start.races)
        return lobby_players.with_allies_results(found)

    @property
    def _slot_numbers(self) -> Mapping[int, int]:
        def setups() -> Sequence[PlayerSetup]:
            from playhead.sc2.state.players.starts import player_setups

            return player_setups(self.stream(TRACKER))

        archive = self.container.archive
        tracked = archive is not None and member_names.TRACKER_EVENTS in archive
        by_place = tracked and self.builds[1] < FIRST_SETUPS
        return lobby_players.slot_numbers(self.lobby, self.metadata, setups, by_place=by_place)

    @cached_property
    def players_by_lobby_user(self) -> Mapping[int, int]:
        """Player number by index in the lobby's list of users, without observers."""
        from playhead.sc2.state.players.starts import player_setups

        if self.replay_info is not None:
            return self.replay_info.players_by_user
        return players_by_user(self.players, self.lobby, player_setups(self.stream(TRACKER)))

    @cached_property
    def players_by_user(self) -> Mapping[int, int]:
        """Player number by user id of events, without observers."""
        players_by_place = self.players_by_lobby_user
        if self.lobby is None:
            return players_by_place
        return {
            event: players_by_place[user]
            for event, user in self.users_by_event.items()
            if user in players_by_place
        }

    @cached_property
    def sides(self) -> Sequence[Side]:
        """The teams at the end of the game, with their leaving and their structures."""
        from playhead.sc2.state.players.winner import sides

        return sides(self.players, self.stream(GAME), self.stream(TRACKER), self.players_by_user)

    @cached_property
    def inferred_winner(self) -> Inference | None:
        """The probable winner, inferred without the recorded result; None if the events do not show it, on maps
        with their own rules, and if two players share an army."""
        from playhead.sc2.state.players.winner import infer

        mode = setting_facts(self.lobby, self.attributes, self.players, ())["mode"]
        if mode in (ARCADE, ARCHON, COOP):
            return None
        return infer(self.sides, computers=any(player.kind == "computer" for player in self.players))

    @cached_property
    def timeline(self) -> Timeline:
        """The game state at any loop."""
        from playhead.sc2.state.timeline import Timeline

        game, tracker = self.stream(GAME), self.stream(TRACKER)
        clock = game_clock(self.loops_per_second, self.start_tick)
        return Timeline(game, tracker, self._tracker_cells, clock, self.players_by_user)

    # -- units of coordinates, names of abilities -------------------------------------------------------

    @property
    def _tracker_cells(self) -> float:
        """Cells in one unit of the tracker's positions."""
        from playhead.sc2.state.players.starts import cell_size

        return cell_size(self.builds[0])

    def _plain_scope(self, *names: Callable[..., str | None]) -> Scope:
        """Return the units of coordinates with these functions for names of abilities and unit types."""
        from playhead.blizzard.events import Scope
        from playhead.blizzard.events.scope import COARSE, FINE

        camera_unit = FINE if self.builds[1] < FIRST_RETAIL_BUILD else COARSE
        return Scope(camera_unit, self._tracker_cells, *names)

    def _scope(self, named: bool) -> Scope:
        """Return a scope that works without the recording: events are decoded on access, even after closing."""
        names = self.ability_names if named else None
        return self._plain_scope() if names is None else self._plain_scope(names.name, names.unit)

    @cached_property
    def event_scope(self) -> Scope:
        """Units of coordinates and names of abilities, for the friendly fields of events."""
        # The recording caches the scope, so a reference back to the recording would be a cycle.
        mine = proxy(self)
        return self._plain_scope(
            lambda link, index: mine.ability_names and mine.ability_names.name(link, index),
            lambda link: mine.ability_names and mine.ability_names.unit(link),
        )

    @cached_property
    def ability_names(self) -> AbilityNames | None:
        """Names of abilities: from `catalog`, the file in the environment variable ``PLAYHEAD_SC2_ABILITIES``, or
        the packaged list for the build. None if no list is known, as for some betas; empty and `modded` if the
        map has its own data.
        """
        from playhead.sc2.abilities.bundled import FIRST_RETAIL, bundled_names
        from playhead.sc2.abilities.names import CATALOG_VARIABLE, read_catalog

        named = os.environ.get(CATALOG_VARIABLE)
        catalog = read_catalog(named) if named and self._catalog is None else self._catalog
        if catalog is not None:
            return catalog.for_build(self.data_build)
        names = bundled_names(game_of(self.cache_handles, self.data_build), self.data_build)
        if names is None:
            return None
        if self.data_build < FIRST_RETAIL or (self.details is not None and self.details.is_blizzard_map):
            return names
        return names.for_orders(self._ordered)

    @property
    def _ordered(self) -> list[int]:
        """The abilities of all orders, by link."""
        from playhead.blizzard.encoding.field_column import NOTHING
        from playhead.blizzard.events.commands import NO_LINK, CmdEvent

        game = self.stream(GAME)
        if game is None:
            return []
        links = game.of(CmdEvent).numbers("ability_id")
        return [link for link in links if link != NOTHING and link != NO_LINK]

    @property
    def catalog(self) -> Catalog | None:
        """The user's own names of abilities."""
        return self._catalog

    @catalog.setter
    def catalog(self, catalog: Catalog | None) -> None:
        self._catalog = catalog
        self.__dict__.pop("ability_names", None)
        for stream in self.streams.decoded.values():
            if stream is not None:
                stream.forget()
