"""Expected reports of maps: a report or a key with another name in a build is a problem.

Only games of matchmaking must have what every game has: a custom game or a brawl has rules of its own, and may end
before the gates open, ban without a pick, or have computers alone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator
from difflib import get_close_matches

from playhead.blizzard.events.game import HeroTalentTreeSelectedEvent
from playhead.blizzard.events.tracker import HeroBannedEvent, HeroPickedEvent, UnitDiedEvent, UnitRevivedEvent
from playhead.blizzard.protocol.tables import GAME, TRACKER
from playhead.hots.members.players import SIDES
from playhead.hots.members.setting import BRAWL, CUSTOM, mode_of
from playhead.hots.tables.map import OF_EVERY_MAP
from playhead.hots.tables.registry import TableSource
from playhead.hots.tables.statistics import Statistic, all_statistics, last_scores

_XP = "MinionXP CreepXP StructureXP HeroXP TrickleXP"
#: The keys that tables read, and that each report has: texts, whole numbers, fractions.
_KEYS = {
    "PlayerInit": ("", "PlayerID Team", ""),
    "PlayerSpawned": ("Hero", "PlayerID", ""),
    "LevelUp": ("", "PlayerID Level", ""),
    "TalentChosen": ("PurchaseName", "PlayerID", ""),
    "TownStructureInit": ("", "TownID Team Lane", "PositionX PositionY"),
    "TownStructureDeath": ("", "TownID", ""),
    "RegenGlobePickedUp": ("", "PlayerID", ""),
    "PlayerDeath": ("", "PlayerID KillingPlayer", "PositionX PositionY"),
    "PeriodicXPBreakdown": ("", "Team TeamLevel", _XP),
    "EndOfGameXPBreakdown": ("", "PlayerID", _XP),
    "JungleCampInit": ("", "CampID", "PositionX PositionY"),
    "JungleCampCapture": ("CampType", "CampID", "TeamID"),
}
#: Reports of every game of matchmaking whose map makes reports and whose gates have opened.
_ALWAYS = frozenset("PlayerSpawned LevelUp TalentChosen GatesOpen".split())
#: By this loop the gates have opened in every game of matchmaking; of real games at 1886 at the latest.
LATEST_GATES = 2000
#: Scores of every game whose tracker has scores.
_SCORES = frozenset("Takedowns SoloKill Deaths Assists Level HeroDamage Healing".split())


def missing(source: TableSource) -> Iterator[tuple[str, str]]:
    """Yield the missing reports and scores of a whole tracker, each with its cost."""
    reports = all_statistics(source)
    names = {each.name for each in reports}
    matched = mode_of(source.lobby, source.attributes) not in (None, CUSTOM, BRAWL)
    opened = bool(source.start_tick)
    if not opened and ("GatesOpen" in names or (matched and (source.duration[0] or 0) > LATEST_GATES)):
        yield "expected the upgrade GatesAreOpen, found none", "when the game begins"
    if names:
        always = _ALWAYS - names if matched and opened else set[str]()
        wanted = sorted(always | {n for n in _KEYS.keys() | OF_EVERY_MAP if _renamed(n, names)})
        if wanted:
            yield f"expected reports {' '.join(wanted)}, found none of these names", "what tables read of them"
    odd = dict.fromkeys(f"{each.name} {key}" for each in reports for key in _odd_keys(each))
    if odd:
        yield f"expected all keys of reports, found others in {', '.join(odd)}", "values that tables read of them"
    towns = {each.number("TownID") for each in reports if each.name == "TownStructureInit"}
    if any(each.number("TownID") not in towns for each in reports if each.name == "TownStructureDeath" and towns):
        yield "expected TownStructureDeath of known towns, found others", "when structures fell"
    scores = last_scores(source)
    if scores is not None and matched and (lost := _SCORES.difference(scores[1])):
        yield f"expected scores {' '.join(sorted(lost))}, found none of these names", "columns of player_stats"
    game, tracker = source.stream(GAME), source.stream(TRACKER)
    if scores is not None and matched and not names:
        yield "expected SStatGameEvent beside SScoreResultEvent, found none", "all that the map reports"
    if scores is None and any(name.startswith("EndOfGame") for name in names):
        yield "expected SScoreResultEvent at the end of the game, found none", "player_stats"
    if (
        matched
        and tracker is not None
        and len(tracker.of(HeroBannedEvent))
        and not len(tracker.of(HeroPickedEvent))
    ):
        yield "expected SHeroPickedEvent beside SHeroBannedEvent, found none", "all SHeroPickedEvent"
    deaths = Counter(each.number("PlayerID") for each in reports if each.name == "PlayerDeath")
    if (
        matched
        and tracker is not None
        and not len(tracker.of(UnitRevivedEvent))
        and max(deaths.values(), default=0) > 1
    ):
        yield "expected SUnitRevivedEvent where a hero died twice, found none", "when heroes lived again"
    people = set(source.players_by_user.values())
    chosen = any(each.name == "TalentChosen" and each.number("PlayerID") in people for each in reports)
    for report, reported, events in (
        (
            "TalentChosen by people",
            chosen,
            None if game is None or game.error else game.of(HeroTalentTreeSelectedEvent),
        ),
        ("PlayerDeath", "PlayerDeath" in names, None if tracker is None else tracker.of(UnitDiedEvent)),
    ):
        if reported and events is not None and not len(events):
            yield f"expected an event of the game where the map reports {report}, found none", "these events"


def _renamed(name: str, names: Collection[str]) -> bool:
    """Whether there is another report with a name like this one, and none with this."""
    others = [each for each in names if each not in OF_EVERY_MAP and each not in _KEYS]
    return name not in names and bool(get_close_matches(name, others, cutoff=0.75))


def _odd_keys(each: Statistic) -> Iterator[str]:
    parts: tuple[Collection[str], ...] = (each.texts, each.lists, each.fractions)
    for keys, held in zip(_KEYS.get(each.name, ()), parts, strict=False):
        yield from (key for key in keys.split() if key not in held)
    for team in (each.number("Team"), each.fractions.get("TeamID")):
        if each.name in _KEYS and team is not None and team - 1 not in SIDES:
            yield "Team"
