"""What happens in the written match of Dota 2, and when: ticks on the game's clock, from the horn."""

from __future__ import annotations

from random import Random
from typing import NamedTuple

RATE = 30
MINUTE = 60 * RATE
#: Demo tick of 0:00; between two packets, as in nearly half of all recordings.
HORN = 901
FIRST_SERVER_TICK = 1000
RADIANT, DIRE, NEUTRAL = 2, 3, 4
#: Index of CDOTA_PlayerResource.
RESOURCE = 2

#: Class, unit name and number of each player's hero.
HEROES = (
    ("Juggernaut", "npc_dota_hero_juggernaut", 8),
    ("Mirana", "npc_dota_hero_mirana", 9),
    ("Morphling", "npc_dota_hero_morphling", 10),
    ("PhantomLancer", "npc_dota_hero_phantom_lancer", 12),
    ("Puck", "npc_dota_hero_puck", 13),
    ("Razor", "npc_dota_hero_razor", 15),
    ("SandKing", "npc_dota_hero_sand_king", 16),
    ("StormSpirit", "npc_dota_hero_storm_spirit", 17),
    ("VengefulSpirit", "npc_dota_hero_vengefulspirit", 20),
    ("Windrunner", "npc_dota_hero_windrunner", 21),
)
PLAYERS = range(len(HEROES))
#: Begin and length of the pauses; the first begins at 3:00.
PAUSES = ((3 * MINUTE, 151), (5 * MINUTE + 777, 90))

TOP, MID, BOTTOM, JUNGLE, BASE = (
    (-6500.0, 2000.0),
    (0.0, 0.0),
    (6500.0, -2000.0),
    (-1000.0, -4000.0),
    (-6600.0, -6100.0),
)
#: Places of each player in a cycle, each with its seconds.
_LANE = {
    0: ((BOTTOM, 100),),
    1: ((MID, 100),),
    2: ((TOP, 100),),
    3: ((TOP, 100),),
    4: ((BOTTOM, 43), (MID, 29), (TOP, 28)),
    5: ((TOP, 100),),
    6: ((MID, 100),),
    7: ((BOTTOM, 100),),
    8: ((BOTTOM, 100),),
    9: ((JUNGLE, 100),),
}
#: Lane, role and whether the player roams, by OpenDota's rules.
LANES = (
    *((1, 1, False), (2, 2, False), (3, 3, False), (3, 3, False), (1, 1, True)),
    *((3, 1, False), (2, 2, False), (1, 3, False), (1, 3, False), (4, 4, False)),
)
#: Positions 1 to 5; gold grows by `FARM` a second.
POSITIONS = (1, 2, 3, 4, 5, 1, 2, 3, 4, 5)
FARM = (15, 13, 11, 7, 5, 16, 12, 10, 6, 4)

#: Type and place of each neutral camp.
CAMPS = ((0, (-8023.0, -1838.0)), (1, (-2596.0, 3850.0)), (2, (-1454.0, -3356.0)), (3, (-5015.0, -96.0)))
Stack = tuple[int, int, int | None]
#: Minute, camp and player of each stack. At 6:00 three camps are stacked at once, one by a hero that was far away.
STACKS: tuple[Stack, ...] = ((4, 0, 2), (6, 1, 6), (6, 2, 7), (6, 3, None), (8, 3, 9))
# Roams between the lanes for ten minutes.
_ROAMER = 4
# The fight during the first stack, and the one after which all buy back.
_AT_STACK, _BOUGHT_BACK = 4, 6
#: The player whose count rises for a stack of nobody.
STRAY = 4


class Fight(NamedTuple):
    """Deaths close together: begin, place, and victim, killer and whether the victim buys back, for each death."""

    at: int
    place: tuple[float, float]
    deaths: tuple[tuple[int, int, bool], ...]


def lane_place(player: int, game_tick: int) -> tuple[float, float]:
    """Return where a player is without a special task: a lane, with small steps in it."""
    second = game_tick // RATE
    left = second % 100
    for place, seconds in _LANE[player]:
        if left < seconds:
            step = 40.0 * (second % 7) + 12.0 * player
            return place[0] + step, place[1] - step
        left -= seconds
    raise AssertionError


def fights(random: Random, last: int) -> list[Fight]:
    """Return the fights up to a tick: 50 seconds apart, with one to three deaths."""
    found = []
    for number, at in enumerate(range(40 * RATE, last - 30 * RATE, 50 * RATE)):
        place = (random.choice((-3000.0, 500.0, 4200.0)) + 10 * number, random.choice((-2500.0, 900.0, 3100.0)))
        away = {STACKS[0][2]} if number == _AT_STACK else set()
        away |= {_ROAMER} if at < 10 * MINUTE else set()
        there = [each for each in PLAYERS if each not in away]
        victims = random.sample(there, random.choice((1, 2, 3)))
        if number == _BOUGHT_BACK + 1:  # dies again soon after the buyback
            again = found[-1].deaths[0][0]
            victims = [again, *(each for each in victims if each != again)]
        deaths: tuple[tuple[int, int, bool], ...] = ()
        for victim in victims:
            killer = random.choice([each for each in there if (each < 5) != (victim < 5)])
            if number % 2 and deaths and (deaths[0][1] < 5) != (victim < 5):
                killer = deaths[0][1]  # a multi-kill
            deaths = (*deaths, (victim, killer, random.random() < 0.2 or number == _BOUGHT_BACK))
        found.append(Fight(at, place, deaths))
    return found
