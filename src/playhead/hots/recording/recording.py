"""`HotsRecording`: a replay's archive, members, streams and players; the tables read it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from playhead.blizzard.members import member_names
from playhead.blizzard.protocol.tables import GAME, TRACKER
from playhead.blizzard.recording.recording import GameRecording
from playhead.errors import CorruptReplay
from playhead.hots.members.battle_lobby import LobbyPerson, read_people, users_of_people
from playhead.hots.members.players import players_by_user, players_of
from playhead.hots.protocol import PROTOCOLS
from playhead.hots.recording.game import HEROES
from playhead.io.source import Source
from playhead.limits import Limits
from playhead.model import Player, ProblemHandler
from playhead.runtime.cached import cached_property
from playhead.runtime.records import replace

if TYPE_CHECKING:
    from playhead.blizzard.events import Scope

#: Game loops in a second, in every build: of the game's clock as of real time.
LOOPS_PER_SECOND = 16.0
#: The upgrade that each player gets when the gates open and all may leave their bases.
_START = "GatesAreOpen"


class HotsRecording(GameRecording):
    """One replay file. Everything is decoded on first access and cached."""

    def __init__(self, source: Source, limits: Limits, note: ProblemHandler, *, strict: bool) -> None:
        super().__init__(source, HEROES, limits, note, strict=strict)

    @cached_property
    def builds(self) -> tuple[int, int]:
        """Base build and build of the header; without one the newest known."""
        header = self.container.header
        if header is None:
            return (PROTOCOLS.known_builds()[-1],) * 2
        return header.base_build, header.build

    @cached_property
    def losses(self) -> list[str]:
        """The parts that damage took, as `playhead.blizzard.recording.losses` names them."""
        from playhead.blizzard.recording.losses import losses

        return losses(self, (member_names.BATTLE_LOBBY,))

    @property
    def loops_per_second(self) -> float:
        """Game loops in one second of the game's clock."""
        return LOOPS_PER_SECOND

    @cached_property
    def start_tick(self) -> int:
        """Loop at which the gates open: 0:00 on the clock of the game. 0 if the tracker does not say, as in a
        recording that ends before."""
        from playhead.blizzard.events.tracker import UpgradeEvent

        tracker = self.stream(TRACKER)
        for _, loop, upgrade in () if tracker is None else tracker.of(UpgradeEvent).rows("upgrade"):
            if upgrade == _START:
                return int(loop)
        return 0

    @cached_property
    def duration(self) -> tuple[int | None, str]:
        """The length in loops, and its source: the header, or the last event."""
        if self.container.header is not None:
            return self.container.header.loops, "header"
        streams = [stream for name in (GAME, TRACKER) if (stream := self.stream(name)) is not None and len(stream)]
        return max((stream.rows.heads[0][-1] for stream in streams), default=None), "last event"

    @cached_property
    def lobby_people(self) -> Mapping[int, LobbyPerson]:
        """People by user id of events, from ``replay.server.battlelobby``, if their records are found."""
        names = {user: name for user, name in self.names_by_user.items() if name}
        options = {} if self.lobby is None else self.lobby.game["m_gameOptions"]
        found = self.container.decode_member(
            member_names.BATTLE_LOBBY,
            lambda data: read_people(
                data, set(names.values()), build=self.builds[0], with_computers=bool(options.get("m_cooperative"))
            ),
            "parties and BattleTags",
        )
        return users_of_people(found or (), names)

    @cached_property
    def players(self) -> tuple[Player, ...]:
        """The participants, from details, lobby and battle lobby. A hero that the lobby lacks is
        the one that the map reports."""
        players = players_of(self.details, self.lobby, self.lobby_people)
        if all(each.player is None or each.character for each in players):
            return players
        from playhead.hots.tables.statistics import spawned_heroes

        heroes = spawned_heroes(self)

        def with_hero(player: Player) -> Player:
            if player.player is None or player.character:
                return player
            hero = heroes.get(player.player)
            return replace(player, character=hero, details={**player.details, "hero": hero})

        return tuple(map(with_hero, players))

    def decode_rest(self) -> None:
        """Decode unread members to find their problems."""
        super().decode_rest()
        len(self.lobby_people)  # decoding it finds its problems
        if self.details is not None and not self.details.players:
            error = CorruptReplay("expected the players, found none").locate(where=member_names.DETAILS)
            self.note(error, "the players")
        tracker = self.stream(TRACKER)
        if tracker is None or tracker.error is not None or tracker.lacking:
            return
        from playhead.hots.tables.expected import missing

        for what, cost in missing(self):
            self.note(CorruptReplay(what).locate(where=member_names.TRACKER_EVENTS), cost)

    @cached_property
    def players_by_user(self) -> Mapping[int, int]:
        """Player number by user id of events, without observers."""
        return players_by_user(self.players)

    @cached_property
    def event_scope(self) -> Scope:
        """Units of coordinates; replays have no names of abilities."""
        from playhead.blizzard.events import Scope

        return Scope()

    def _scope(self, named: bool) -> Scope:
        return self.event_scope
