"""`People`: everybody on the server, with one number a person and the pawn of each player."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping

from playhead.cs2.sources.pawn import CONTROLLER, TEAM, player_state
from playhead.cs2.sources.words import COUNTER_TERRORISTS, SIDES, TERRORISTS, slot_of
from playhead.model import Player
from playhead.runtime.records import NamedTuple
from playhead.runtime.typing import TYPE_CHECKING, Any
from playhead.source2.entities.handlers import EntityOp
from playhead.source2.entities.watching import FieldWatch

if TYPE_CHECKING:
    from playhead.source2.entities.entity import Entity
    from playhead.source2.entities.manager import EntityManager
    from playhead.source2.playback.playback import Playback

_NAME, _ACCOUNT, _PAWN, _BOT_LEVEL = "m_iszPlayerName", "m_steamID", "m_hPlayerPawn", "m_iPawnBotDifficulty"
_CONTROLS_BOT, _COACH, _CLAN, _CONNECTED = "m_bControllingBot", "m_iCoachingTeam", "m_szClan", "m_iConnected"
_CURRENT_PAWN = "m_hPawn"

PEOPLE_FIELDS = {
    CONTROLLER: (
        *(_NAME, _ACCOUNT, _PAWN, _CURRENT_PAWN, _BOT_LEVEL, _CONTROLS_BOT, _COACH, _CLAN, _CONNECTED, TEAM),
    )
}

#: Number of the first person whose slot another person had before: a server has at most 64 slots.
FIRST_LATER_NUMBER = 64
_PLAYING = (TERRORISTS, COUNTER_TERRORISTS)


class Person:
    """One person or bot.

    Attributes:
        player: its number: the slot of its first holder, else 64 or more.
        slot: the slot that it has or had last: the index of its controller less 1.
        account: Steam id; 0 for a bot and for the recorder.
        name: latest name.
        team: present team: 2 Terrorists, 3 Counter-Terrorists, 1 spectators; 0 none.
        side_team: the latest of the two sides on which it played; None if it never played.
        is_bot, is_coach: it is a computer player; it coaches.
        controls_bot: it plays with the body of a bot.
        first_tick, last_tick: ticks at which its controller came, and left or the recording ended.
        controller: its controller; None after it left.
    """

    def __init__(self, player: int, slot: int, account: int, tick: int) -> None:
        self.player = player
        self.slot = slot
        self.account = account
        self.name: str | None = None
        self.clan: str | None = None
        self.team = 0
        self.side_team: int | None = None
        self.is_bot = False
        self.is_coach = False
        self.controls_bot = False
        self.first_tick = self.last_tick = tick
        self.controller: Entity | None = None

    @property
    def side(self) -> str | None:
        """Word of the present side: ``t``, ``ct``, None for neither."""
        return SIDES.get(self.team)

    @property
    def kind(self) -> str:
        """Return ``human``, ``computer``, ``coach`` or ``observer`` (the recorder, spectators)."""
        if self.is_coach:
            return "coach"
        if self.is_bot:
            return "computer"
        return "observer" if self.side_team is None else "human"

    def as_player(self, team: int | None) -> Player:
        """Return the row of table ``players``, with the side of its team at the end."""
        return Player(
            player=self.player,
            name=self.name,
            clan=self.clan,
            kind=self.kind,
            team=team,
            side=None if team is None else SIDES[team],
            account=str(self.account) if self.account else None,
            details={"slot": self.slot, "first_tick": self.first_tick, "last_tick": self.last_tick},
        )


#: Number, name, side and `Person.controls_bot` of a player at a moment.
Who = tuple[int, str | None, str | None, bool]


class Lineup(NamedTuple):
    """The players on a side from a tick on, by slot."""

    tick: int
    players: tuple[Who, ...]


class People:
    """Follows the controllers. A person is an account; a bot is a name in a slot.

    The table of users repeats stale names after a reconnect, so only controllers count.

    Args:
        playback: plays the recording.

    Attributes:
        version: counts the changes of controllers.
        lineups: the players on a side, at each change.
    """

    def __init__(self, playback: Playback) -> None:
        self.version = 0
        self.lineups: list[Lineup] = []
        self._playback = playback
        self._entities: EntityManager = playback.entities
        self._by_slot: dict[int, Person] = {}
        self._by_identity: dict[tuple[int, object], Person] = {}
        self._numbers: set[int] = set()
        watch = FieldWatch(PEOPLE_FIELDS[CONTROLLER], self._on_controller)
        self._entities.on_entity(watch, CONTROLLER)

    def _on_controller(self, controller: Entity, op: EntityOp) -> None:
        self.version += 1
        slot = controller.index - 1
        before = self._who(slot)
        self._update(controller, op)
        if self.lineups and self._who(slot) == before:  # as nearly always: a pawn was born or died
            return
        players = (self._who(each) for each in sorted(self._by_slot))
        lineup = Lineup(self._playback.tick, tuple(who for who in players if who is not None))
        if self.lineups and self.lineups[-1].tick == lineup.tick:
            self.lineups[-1] = lineup
        elif not self.lineups or self.lineups[-1].players != lineup.players:
            self.lineups.append(lineup)

    def _who(self, slot: int) -> Who | None:
        """Return the player in a slot; None for nobody, and for somebody on no side."""
        person = self._by_slot.get(slot)
        if person is None or person.team not in _PLAYING:
            return None
        return person.player, person.name, person.side, person.controls_bot

    def _update(self, controller: Entity, op: EntityOp) -> None:
        slot = controller.index - 1
        tick = self._playback.tick
        if op & EntityOp.DELETED:
            gone = self._by_slot.pop(slot, None)
            if gone is not None:
                gone.last_tick, gone.controller, gone.team = tick, None, 0
            return
        account = controller.get_int(_ACCOUNT) or 0
        name = controller.get_str(_NAME) or None
        person = self._by_slot.get(slot)
        if person is None or not self._is_same(person, account, name):
            if person is not None:
                person.last_tick, person.controller = tick, None
            person = self._person(slot, account, name, tick)
            self._by_slot[slot] = person
        person.controller = controller
        person.name = name or person.name
        person.clan = controller.get_str(_CLAN) or person.clan
        person.team = controller.get_int(TEAM) or 0
        if person.team in _PLAYING:
            person.side_team = person.team
        person.is_coach = person.is_coach or controller.get_int(_COACH) in _PLAYING
        person.controls_bot = bool(controller.get(_CONTROLS_BOT))
        level = controller.get_int(_BOT_LEVEL)
        person.is_bot = person.is_bot or (not account and (person.team in _PLAYING or (level or -1) >= 0))

    @staticmethod
    def _is_same(person: Person, account: int, name: str | None) -> bool:
        if person.account != account:
            return not person.account and person.name is None
        return bool(account) or person.name in (None, name) or name is None

    def _person(self, slot: int, account: int, name: str | None, tick: int) -> Person:
        identity = (account, None) if account else (0, (slot, name))
        known = self._by_identity.get(identity)
        if known is not None:
            known.slot = slot
            return known
        number = slot
        if number in self._numbers:
            number = max(FIRST_LATER_NUMBER, *(used + 1 for used in self._numbers))
        self._numbers.add(number)
        person = self._by_identity[identity] = Person(number, slot, account, tick)
        return person

    def number_of(self, person: Person) -> int:
        """Return the number here of a person of another pass, which may have begun later; its own if unknown."""
        identity = (person.account, None) if person.account else (0, (person.slot, person.name))
        known = self._by_identity.get(identity)
        return person.player if known is None else known.player

    def finish(self, tick: int) -> None:
        """Set the last ticks of everybody present at the end."""
        for person in self._by_slot.values():
            person.last_tick = tick

    def __iter__(self) -> Iterator[Person]:
        return iter(sorted(self._by_identity.values(), key=lambda person: person.player))

    def last_side(self, person: Person) -> int | None:
        """Return the side of a person's team at the end: one that left before the sides changed has that of its
        mates. None for a person that never played."""
        side = SIDES.get(person.side_team or 0)
        if person.team in _PLAYING or side is None:
            return person.side_team
        own = (each for each in reversed(self.lineups) if any(who[0] == person.player for who in each.players))
        mates = {who[0] for who in next(own, Lineup(0, ())).players if who[2] == side}
        now = Counter(each.team for each in self.playing if each.player in mates)
        return now.most_common(1)[0][0] if now else person.side_team

    @property
    def present(self) -> list[Person]:
        """Everybody present, by slot."""
        return [self._by_slot[slot] for slot in sorted(self._by_slot)]

    @property
    def playing(self) -> list[Person]:
        """Everybody present on a side, by slot."""
        return [person for person in self.present if person.team in _PLAYING]

    def in_slot(self, value: object) -> Person | None:
        """Return the person in the slot that a key of a game event names; of a bot, the player of its body."""
        slot = slot_of(value)
        person = None if slot is None else self._by_slot.get(slot)
        if person is None or not person.is_bot:
            return person
        body = self.pawn(person)
        return person if body is None else self.of_pawn(body.handle) or person

    def pawn(self, person: Person | None) -> Entity | None:
        """Return the pawn that a person plays: that of the bot, if it controls one."""
        if person is None or person.controller is None:
            return None
        handle = person.controller.get(_CURRENT_PAWN if person.controls_bot else _PAWN)
        return self._entities.find_by_handle(handle) if isinstance(handle, int) else None

    def bot_of(self, person: Person) -> Person | None:
        """Return the bot whose body a person plays."""
        if not person.controls_bot or person.controller is None:
            return None
        body = person.controller.get(_CURRENT_PAWN)
        for each in self.present:
            if each is not person and each.controller is not None and each.controller.get(_PAWN) == body:
                return each
        return None

    def of_pawn(self, handle: object) -> Person | None:
        """Return the player of the pawn of a handle."""
        if not isinstance(handle, int):
            return None
        pawn = self._entities.find_by_handle(handle)
        if pawn is None:
            return None
        found = [each for each in self.present if self.pawn(each) is pawn]
        return next((each for each in found if each.controls_bot), found[0] if found else None)


def columns_of(person: Person | None, role: str) -> dict[str, Any]:
    """Return the columns of a person in a row: number, name and side at the tick; `role` is before each name."""
    return {
        f"{role}player": None if person is None else person.player,
        f"{role}name": None if person is None else person.name,
        f"{role}side": None if person is None else person.side,
    }


def fighters_of(people: People, event: Mapping[str, Any], roles: Iterable[tuple[str, str]]) -> dict[str, Any]:
    """Return the columns of the people of an event, each with the state of the pawn; `roles` are prefixes of
    columns and keys of slots."""
    columns: dict[str, Any] = {}
    for role, key in roles:
        person = people.in_slot(event.get(key))
        columns |= columns_of(person, role) | player_state(people.pawn(person), role)
    return columns
