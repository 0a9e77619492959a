"""`HotsRecording`: archive, members, streams and players of a replay, which tables read, and its facts, `Info`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, Any

from playhead.blizzard.game import BlizzardGame
from playhead.blizzard.members import member_names
from playhead.blizzard.protocol.tables import GAME, TRACKER
from playhead.blizzard.recording.recording import GameRecording
from playhead.blizzard.repair.guess_member import Builds
from playhead.errors import CorruptReplay
from playhead.hots.members.battle_lobby import LobbyPerson, read_people, users_of_people
from playhead.hots.members.players import players_by_user, players_of, winner_of
from playhead.hots.members.setting import read_map_name, setting_facts
from playhead.hots.protocol import PROTOCOLS
from playhead.io.source import Source
from playhead.limits import Limits
from playhead.model import Info, Player, ProblemHandler
from playhead.runtime.cached import cached_property
from playhead.runtime.records import replace

if TYPE_CHECKING:
    from playhead.blizzard.events import Event, Scope
    from playhead.blizzard.repair.salvage import Guesser


def _captured(stream: str) -> Collection[type[Event]]:
    from playhead.hots.tables.registry import TABLES

    return TABLES.captured(stream)


def _guesser(builds: Builds | None, limits: Limits) -> Guesser:
    from playhead.blizzard.repair.guess_member import MemberGuesser

    return MemberGuesser(PROTOCOLS, builds, limits)


HEROES = BlizzardGame(
    name="hots",
    title="Heroes of the Storm",
    signature=b"Heroes of the Storm replay",
    others={b"StarCraft II replay": "StarCraft II"},
    protocols=PROTOCOLS,
    first_tracker=0,
    captured=_captured,
    guesser=_guesser,
)


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
        """The parts that damage took, as `playhead.blizzard.recording.recording` names them."""
        from playhead.blizzard.recording.recording import losses

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


#: By the first number of an account.
REGIONS = {"1": "US", "2": "EU", "3": "KR", "5": "CN", "98": "PTR"}


def _region(players: tuple[Player, ...]) -> str | None:
    numbers = Counter(player.account.partition("-")[0] for player in players if player.account)
    return next((REGIONS.get(number) for number, _ in numbers.most_common(1)), None)


def load_info(recording: HotsRecording, format: str, name: str) -> Info:
    """Return the facts of a replay."""
    header, details, players = recording.container.header, recording.details, recording.players
    won = [player for player in players if player.result == "win"]
    winner = winner_of(players)
    return Info(
        format=format,
        game=HEROES.name,
        source=name,
        complete=recording.complete,
        version=None if header is None else header.version,
        build=None if header is None else header.base_build,
        map=None if details is None else details.title or None,
        end_time=None if details is None else details.ended,
        duration_ticks=recording.duration[0],
        ticks_per_second=recording.loops_per_second,
        winner_team=None if winner is None else winner.team,
        winner_side=None if winner is None else winner.side,
        winner_name=None if winner is None else ", ".join(player.name for player in won if player.name) or None,
        details=_details(recording),
    )


def with_map(info: Info, recording: HotsRecording) -> Info:
    """Return the facts with the map by the game's own name."""
    name, _ = recording.container.try_member(member_names.TRACKER_EVENTS, read_map_name)
    return replace(info, details={**info.details, "map_english": name})


def _details(recording: HotsRecording) -> dict[str, Any]:
    table = PROTOCOLS.table(*recording.builds)
    out: dict[str, Any] = {"protocol": table.base_build, "confidence": table.confidence}
    if (header := recording.container.header) is not None:
        out |= {"game_build": header.build, "data_build": header.data_build}
    else:
        out |= {"confidence": "not known", "duration_from": recording.duration[1]}
    out |= recording.streams.gap_facts
    if lost := recording.losses:
        out["lost_parts"] = lost
    out |= setting_facts(recording.lobby, recording.attributes)
    out["map_english"] = None  # the tracker has it
    out["region"] = _region(recording.players)
    out["has_computers"] = any(player.kind == "computer" for player in recording.players)
    out["observers"] = sum(player.kind in ("observer", "referee") for player in recording.players)
    if (details := recording.details) is not None:
        out |= {
            "utc_offset_seconds": details.time_local_offset / 1e7,
            "is_blizzard_map": details.is_blizzard_map,
            "map_file": details.map_file,
        }
    return out
