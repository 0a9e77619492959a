"""Numbers and changes of people, from their controllers alone."""

from __future__ import annotations

from typing import Any

import pytest

from playhead.cs2.sources.people import People, Person
from playhead.source2.entities.handlers import EntityOp

T, CT, SPECTATOR = 2, 3, 1


class _Controller:
    """The fields of a controller; unset ones are unknown."""

    def __init__(self, slot: int, account: int = 0, name: str = "", team: int = T, **more: Any) -> None:
        self.index = slot + 1
        self.values = {"m_steamID": account, "m_iszPlayerName": name, "m_iTeamNum": team, **more}

    def get(self, name: str, default: Any = None) -> Any:
        return self.values.get(name, default)

    get_int = get_str = get


class _Played:
    """A playback and its entities, without a recording."""

    def __init__(self) -> None:
        self.tick = 0
        self.entities = self
        self.people = People(self)  # type: ignore[arg-type]

    def on_entity(self, *_: Any) -> None:
        """Handlers are called by `tell`."""

    def tell(self, tick: int, controller: _Controller, op: EntityOp = EntityOp.UPDATED) -> Person | None:
        """Change a controller; return the person in its slot."""
        self.tick = tick
        self.people._on_controller(controller, op)  # type: ignore[arg-type]
        return self.people.in_slot(controller.index - 1)


@pytest.fixture
def played() -> _Played:
    return _Played()


def numbers(played: _Played) -> list[int]:
    return [person.player for person in played.people]


def test_the_first_in_a_slot_has_its_number_and_later_ones_follow_from_64(played: _Played) -> None:
    for tick, account in enumerate((101, 102, 103)):
        played.tell(tick, _Controller(0, account, f"P{account}"))
    played.tell(3, _Controller(5, 104, "P104"))
    assert sorted(numbers(played)) == [0, 5, 64, 65]
    played.tell(4, _Controller(5, 102, "P102"))  # one that comes again, in another slot
    assert sorted(numbers(played)) == [0, 5, 64, 65]
    again = played.people.in_slot(5)
    assert again is not None
    assert (again.player, again.slot, again.account) == (64, 5, 102)


def test_bots_are_the_same_by_name_and_slot(played: _Played) -> None:
    first = played.tell(0, _Controller(1, 0, "Adrian"))
    assert played.tell(1, _Controller(1, 0, "")) is first  # the name is not sent
    assert played.tell(2, _Controller(1, 0, "Adrian")) is first
    other = played.tell(3, _Controller(1, 0, "Bert"))
    assert other is not first
    assert played.tell(4, _Controller(1, 0, "Adrian")) is first
    assert played.tell(4, _Controller(2, 0, "Adrian")) is not first


def test_a_controller_without_a_name_becomes_the_person_of_its_account(played: _Played) -> None:
    nobody = played.tell(0, _Controller(3, 0, ""))
    assert played.tell(1, _Controller(3, 105, "")) is nobody
    bot = played.tell(2, _Controller(4, 0, "Bert"))
    assert played.tell(3, _Controller(4, 106, "Max")) is not bot
    one = played.tell(4, _Controller(6, 107, "One"))
    assert played.tell(5, _Controller(6, 107, "Renamed")) is one
    assert one is not None
    assert one.name == "Renamed"
    assert played.tell(6, _Controller(6, 108, "Renamed")) is not one


def test_a_person_that_left_has_a_last_tick_and_no_side(played: _Played) -> None:
    controller = _Controller(0, 101, "One", CT)
    person = played.tell(10, controller)
    assert person is not None
    assert (person.side, person.side_team, person.first_tick) == ("ct", CT, 10)
    played.tell(90, controller, EntityOp.DELETED)
    assert played.people.in_slot(0) is None
    assert (person.side, person.side_team, person.last_tick) == (None, CT, 90)
    played.tell(95, controller, EntityOp.DELETED)  # nobody leaves twice
    assert person.last_tick == 90


def test_a_person_that_left_before_the_sides_changed_is_on_that_of_its_mates(played: _Played) -> None:
    gone, mate, other = (
        _Controller(0, 101, "One", CT),
        _Controller(1, 102, "Two", CT),
        _Controller(2, 103, "Three"),
    )
    person = played.tell(10, gone)
    played.tell(10, mate)
    played.tell(10, other)
    assert person is not None
    assert played.people.last_side(person) == CT
    played.tell(90, gone, EntityOp.DELETED)
    assert played.people.last_side(person) == CT
    mate.values["m_iTeamNum"], other.values["m_iTeamNum"] = T, CT
    played.tell(100, mate)
    played.tell(100, other)
    assert played.people.last_side(person) == T
    assert person.as_player(T).side == "t"


@pytest.mark.parametrize(
    ("controller", "kind"),
    [
        (_Controller(0, 101, "One"), "human"),
        (_Controller(0, 101, "One", SPECTATOR), "observer"),
        (_Controller(0, 101, "One", SPECTATOR, m_iCoachingTeam=CT), "coach"),
        (_Controller(0, 101, "One", SPECTATOR, m_iCoachingTeam=0), "observer"),
        (_Controller(0, 0, "Bert"), "computer"),
        (_Controller(0, 0, "SourceTV", SPECTATOR), "observer"),
        (_Controller(0, 0, "SourceTV", SPECTATOR, m_iPawnBotDifficulty=-1), "observer"),
        (_Controller(0, 0, "Bert", SPECTATOR, m_iPawnBotDifficulty=2), "computer"),
        (_Controller(0, 101, "One", SPECTATOR, m_iPawnBotDifficulty=2), "observer"),
    ],
)
def test_kinds(played: _Played, controller: _Controller, kind: str) -> None:
    person = played.tell(0, controller)
    assert person is not None
    assert person.kind == kind


def test_lineups_are_of_those_on_a_side_and_change_with_them(played: _Played) -> None:
    one, two = _Controller(1, 101, "One"), _Controller(0, 102, "Two", CT)
    played.tell(5, one)
    played.tell(5, two)
    played.tell(6, one)  # nothing changes
    one.values["m_iTeamNum"] = SPECTATOR
    played.tell(7, one)
    told = [(each.tick, [(number, side) for number, _, side, _ in each.players]) for each in played.people.lineups]
    assert told == [(5, [(0, "ct"), (1, "t")]), (7, [(0, "ct")])]
