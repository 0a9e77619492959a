"""Tables of players and teams: ``player_stats``, ``talents``, ``xp``, ``draft``, ``battle_lobby``."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from playhead.blizzard.events.game import HeroTalentTreeSelectedEvent
from playhead.blizzard.events.tracker import (
    HeroBannedEvent,
    HeroPickedEvent,
    HeroSwappedEvent,
    ScoreResultEvent,
    StatGameEvent,
)
from playhead.blizzard.protocol.tables import GAME
from playhead.blizzard.tables.registry import moment
from playhead.hots.members.setting import WHOLE_GAME
from playhead.hots.tables.registry import TableSource, table
from playhead.hots.tables.statistics import (
    LEAVER_EVENTS,
    all_statistics,
    last_scores,
    leavers,
    people_of,
    statistics,
    team_of,
    tracker_events,
)
from playhead.runtime.libraries import pa
from playhead.tables.schema import Column, TableSchema
from playhead.tables.vocabulary import word, words

#: Levels of the team at which talents are chosen, by tier from 1.
TIER_LEVELS = (1, 4, 7, 10, 13, 16, 20)
#: The scores that are words, by the game's name.
_WORDS = {
    "Takedowns": ("takedowns", "Kills and assists."),
    "SoloKill": (
        "kills",
        "`SoloKill` of the game, which also credits a player if something else's hit was the last.",
    ),
    "Deaths": ("deaths", ""),
    "Assists": ("assists", ""),
    "Level": ("level", "Null in scores taken before the end, which have 0."),
    "HeroDamage": ("hero_damage", ""),
    "DamageTaken": ("damage_taken", ""),
    "Healing": ("healing", ""),
    "SelfHealing": ("self_healing", ""),
}
#: The other scores of the screen at the end that every map has, by unit.
_OTHERS = {
    "hp": "SiegeDamage StructureDamage MinionDamage CreepDamage SummonDamage PhysicalDamage SpellDamage "
    "DamageSoaked ProtectionGivenToAllies TeamfightDamageTaken TeamfightHeroDamage TeamfightHealingDone",
    "xp": "ExperienceContribution MetaExperience",
    "s": "TimeSpentDead TimeCCdEnemyHeroes TimeStunningEnemyHeroes TimeSilencingEnemyHeroes "
    "TimeRootingEnemyHeroes OnFireTimeOnFire",
    "": "TownKills MinionKills RegenGlobes MercCampCaptures WatchTowerCaptures HighestKillStreak Multikill "
    "OutnumberedDeaths ClutchHealsPerformed EscapesPerformed VengeancesPerformed TeamfightEscapesPerformed "
    "TeamTakedowns",
}
_AWARD = re.compile("EndOfMatchAward(.+?)(?:Boolean)?$")
#: Scores of this pattern that are no awards.
_NO_AWARDS = frozenset(("GivenToNonwinner",))


def _snake(name: str) -> str:
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name.replace("CCd", "Ccd")).lower()


_SCORES = {name: column for name, (column, _) in _WORDS.items()} | {
    name: "score_" + _snake(name) for names in _OTHERS.values() for name in names.split()
}


def _score_columns() -> Iterator[Column]:
    for column, note in _WORDS.values():
        yield Column(column, "int32", note) if column == "takedowns" else word(column, note)
    for unit, names in _OTHERS.items():
        for name in names.split():
            yield Column(_SCORES[name], "int32", f"{name} of the game.", unit)


PLAYER_STATS = TableSchema.of(
    "player_stats",
    "One row for each player: the screen of scores at the end of the game, from the last SScoreResultEvent.",
    word("tick", "When the scores were taken."),
    *words("seconds player hero team side"),
    *_score_columns(),
    Column("award", "category", "The award of the end of the match, by the game's own name; null without one."),
    Column("talents", "list<string>", "Names of the chosen talents, in the order of the tiers; see `talents`."),
    Column("leaver", "bool", "Left before a core fell, and did not come back; null if none fell."),
    Column("scores", "string", "Every score that is not 0, by the game's own name, as a JSON object."),
)

TALENTS = TableSchema.of(
    "talents",
    "One row for each talent that a player chose, in file order.",
    *words("tick seconds player hero team side"),
    word("tier", "In the order of the player's choices: 1 at level 1, 7 at level 20."),
    word("level", "Level of the team that opens the tier."),
    Column("talent", "category", "The game's own name of the talent; null if the map reports none."),
    word("talent_index"),
)

XP = TableSchema.of(
    "xp",
    "Experience of each team by its source: a row for each minute and team, and one at the end. The values are "
    "sums since the start.",
    *words("tick seconds team side"),
    word("level", "Of the team; at the end that of its last LevelUp."),
    *(
        Column(f"xp_{name}", "float64", doc, "xp")
        for name, doc in {
            "minions": "From minions.",
            "mercenaries": "From mercenaries.",
            "structures": "From structures.",
            "heroes": "From kills of heroes.",
            "passive": "That comes with time.",
            "all": "The sum of all sources.",
        }.items()
    ),
)
_XP = {
    "MinionXP": "xp_minions",
    "CreepXP": "xp_mercenaries",
    "StructureXP": "xp_structures",
    "HeroXP": "xp_heroes",
    "TrickleXP": "xp_passive",
}


@table(PLAYER_STATS, reads=(ScoreResultEvent, StatGameEvent, *LEAVER_EVENTS))
def player_stats(source: TableSource) -> pa.Table:
    from playhead.text.json import to_json

    last = last_scores(source)
    if last is None:
        return PLAYER_STATS.build_rows([])
    tick, scores = last
    rows, gone = list[dict[str, Any]](), leavers(source)
    chosen: dict[int | None, list[str]] = {}
    for each in statistics(source, "TalentChosen"):
        chosen.setdefault(each.number("PlayerID"), []).append(each.texts.get("PurchaseName", ""))
    for player, person in people_of(source).items():
        own = {name: values[player - 1] for name, values in scores.items() if player <= len(values)}
        own["Level"] = own.get("Level") or None
        given = {name: value for name, value in own.items() if value}
        awards = [found[1] for name in given if (found := _AWARD.match(name)) and found[1] not in _NO_AWARDS]
        shown: dict[str, Any] = {column: own.get(name) for name, column in _SCORES.items()}
        rows.append(
            {
                **moment(tick, source.loops_per_second),
                "player": player,
                **person,
                **shown,
                "award": awards[0] if awards else None,
                "talents": chosen.get(player, []),
                "leaver": None if gone is None else player in gone,
                "scores": to_json(given),
            }
        )
    return PLAYER_STATS.build_rows(rows)


def _selected(source: TableSource) -> dict[tuple[int, int], int]:
    """Return the place in its tree of each talent that a person took, by loop and player."""
    game = source.stream(GAME)
    if game is None:
        return {}
    taken, (loops, users, *_) = game.of(HeroTalentTreeSelectedEvent), game.rows.heads
    places = zip(taken.orders, taken.numbers("index"), strict=True)
    people = source.players_by_user
    return {(loops[row], people[users[row]]): index for row, index in places if users[row] in people}


@table(TALENTS, reads=(HeroTalentTreeSelectedEvent, StatGameEvent))
def talents(source: TableSource) -> pa.Table:
    people, tiers, selected = people_of(source), dict[int, int](), _selected(source)
    # The map reports a choice one loop after it.
    chosen = [
        (each.tick, player, each.texts.get("PurchaseName"), selected.get((each.tick - 1, player)))
        for each in statistics(source, "TalentChosen")
        for player in (each.number("PlayerID") or 0,)
    ]
    if not all_statistics(source):
        chosen = [(tick, player, None, index) for (tick, player), index in selected.items()]
    rows = list[dict[str, Any]]()
    for tick, player, name, index in chosen:
        place = tiers[player] = tiers.get(player, 0) + 1
        rows.append(
            {
                **moment(tick, source.loops_per_second),
                "player": player or None,
                **people.get(player, {}),
                "tier": place,
                "level": TIER_LEVELS[place - 1] if place <= len(TIER_LEVELS) else None,
                "talent": name,
                "talent_index": index,
            }
        )
    return TALENTS.build_rows(rows)


@table(XP, reads=(StatGameEvent,))
def xp(source: TableSource) -> pa.Table:
    people, rows, done = people_of(source), list[dict[str, Any]](), set[Any]()
    levels = {each.number("PlayerID"): each.number("Level") for each in statistics(source, "LevelUp")}
    for each in statistics(source, "PeriodicXPBreakdown", "EndOfGameXPBreakdown"):
        team = each.number("Team")
        if each.name == "EndOfGameXPBreakdown":  # one for each player of a team, all alike
            team = people.get(each.number("PlayerID") or 0, {}).get("team")
            if team in done:
                continue
            done.add(team)
            level = levels.get(each.number("PlayerID"))
        else:
            level = each.number("TeamLevel")
        values = {column: each.fractions.get(key) for key, column in _XP.items()}
        rows.append(
            {
                **moment(each.tick, source.loops_per_second),
                **team_of(team),
                "level": level,
                **values,
                "xp_all": sum(value or 0 for value in values.values()),
            }
        )
    return XP.build_rows(rows)


DRAFT = TableSchema.of(
    "draft",
    "One row for each ban, pick and swap of a draft. They are in order if the tracker has them; otherwise the "
    "bans are those of the lobby's attributes, blue first.",
    Column("order", "int32", "Place in the draft, from 0."),
    word("action", "ban, pick or swap (the hero goes to another player of the team)."),
    *words("team side"),
    word("player", "Who got the hero; null for bans."),
    word("hero", "The game's own name; null for a ban that was skipped, and if only attributes have the ban."),
    Column("hero_code", "category", "The four letters of the hero in the attributes."),
    word("known_by", "tracker or attributes."),
)
#: Attributes of the whole game with the bans of a team, in their order.
_BANS = {1: (4023, 4025, 4043), 2: (4028, 4030, 4045)}
#: The hero of a ban that its team let pass.
_SKIPPED = "NONE"
_ACTIONS = {HeroBannedEvent: "ban", HeroPickedEvent: "pick", HeroSwappedEvent: "swap"}


def _of_tracker(source: TableSource) -> Iterator[dict[str, Any]]:
    people = people_of(source)
    slots = {each.details.get("working_set_slot"): each.player for each in source.players}
    for event in tracker_events(source, *_ACTIONS):
        # The lobby's slot, from 0, which only replays before 2015 do not have.
        player = None if isinstance(event, HeroBannedEvent) else slots.get(event.picker)
        team = event.team_id if isinstance(event, HeroBannedEvent) else people.get(player or 0, {}).get("team")
        hero = None if event.hero == _SKIPPED else event.hero
        yield {"action": _ACTIONS[type(event)], **team_of(team), "player": player, "hero": hero}


def attribute_bans(source: TableSource) -> Iterator[dict[str, Any]]:
    """Yield the bans that the lobby's attributes have."""
    held = {each.attribute: each.value.strip() for each in source.attributes if each.scope == WHOLE_GAME}
    for team, attributes in _BANS.items():
        for code in filter(None, map(held.get, attributes)):
            yield {"action": "ban", **team_of(team), "hero_code": code}


@table(DRAFT, reads=tuple(_ACTIONS))
def draft(source: TableSource) -> pa.Table:
    rows, known_by = list(_of_tracker(source)), "tracker"
    if not rows:
        rows, known_by = list(attribute_bans(source)), "attributes"
    return DRAFT.build_rows([{"order": place, **row, "known_by": known_by} for place, row in enumerate(rows)])


BATTLE_LOBBY = TableSchema.of(
    "battle_lobby",
    "One row for each person in the server's data about the lobby. These are personal data.",
    *words("user player name"),
    Column("battle_tag", "string", "Name and number of the account at Battle.net."),
    Column(
        "party_known", "bool", "The record was read to its end, so that a null `party` in `players` is a fact."
    ),
    group="file",
)


@table(BATTLE_LOBBY)
def battle_lobby(source: TableSource) -> pa.Table:
    return BATTLE_LOBBY.build_rows(
        [
            {
                "user": user,
                "player": source.players_by_user.get(user),
                "name": source.names_by_user.get(user),
                "battle_tag": person.battle_tag,
                "party_known": person.party_known,
            }
            for user, person in sorted(source.lobby_people.items())
        ]
    )
