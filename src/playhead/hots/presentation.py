"""How plots and the viewer show Heroes of the Storm."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from playhead import presentation
from playhead.hots.recording.recording import HEROES
from playhead.hots.tables.map import OF_EVERY_MAP
from playhead.model import ReplayLike
from playhead.text.names import spaced

if TYPE_CHECKING:
    from playhead.events import Event
    from playhead.presentation import EventUnit, Told
    from playhead.presentation.motion import Motion
    from playhead.presentation.picture import MapPicture

#: Cells between places that are ground.
_NEAR = 3


def marks(replay: ReplayLike) -> Iterator[presentation.Mark]:
    """Yield the forts, keeps and cores of towns, and the camps that were captured."""
    for row in replay.table("structures").to_pylist():
        if row["x"] is not None and row["y"] is not None:
            yield presentation.Mark("town", row["x"], row["y"], row["team"])
    camps = {
        (row["camp_id"], row["x"], row["y"]): row["kind"].removesuffix(" Camp")
        for row in replay.table("camps").to_pylist()
        if None not in (row["camp_id"], row["x"], row["y"], row["kind"])
    }
    for (_, x, y), kind in sorted(camps.items()):
        yield presentation.Mark("camp", x, y, None, kind)


def ground(replay: Any) -> MapPicture | None:
    """Return the ground where units were."""
    from playhead.presentation.picture import Places, ground_picture

    rows = replay.table("positions", columns=["x", "y"]).drop_null()
    found = list(zip(rows["x"].to_pylist(), rows["y"].to_pylist(), [None] * len(rows), strict=True))
    return ground_picture(Places.of(found), cell=1.0, step=1.0, near=_NEAR)


def deaths(replay: ReplayLike) -> Iterator[presentation.Death]:
    """Yield the deaths of heroes."""
    for row in replay.table("kills").to_pylist():
        place = row["victim_x"], row["victim_y"]
        victim = row["victim_player"], row["victim_team"]
        yield presentation.Death(row["tick"], row["game_seconds"], *place, *victim, row["attacker_player"])


def highlights(replay: ReplayLike) -> Iterator[presentation.Highlight]:
    """Yield fallen forts and keeps, captured camps, and the map's reports of its objectives, by the side that
    did it."""
    words = {"structure_destroyed": "destroyed a fort or keep", "camp_captured": "captured a camp"}
    for row in replay.table("objective_events").to_pylist():
        if row["team"] is not None:
            yield presentation.Highlight(row["game_seconds"], words.get(row["event"], "objective"), row["team"])


def turns(replay: ReplayLike) -> Iterator[presentation.Turn]:
    """Yield the first kill, and where the experience of each side came from."""
    names = {player.player: player.name for player in replay.players}
    for row in replay.table("kills").slice(0, 1).to_pylist():
        text = f"{names.get(row['attacker_player']) or 'no player'} killed {names.get(row['victim_player'])}"
        yield presentation.Turn(row["tick"], "the first kill", text, row["attacker_team"])
    rows = replay.table("xp").to_pylist()
    for team, side in SIDES.items():
        last = next((row for row in reversed(rows) if row["team"] == team), None)
        parts = {name: last[f"xp_{name}"] or 0 for name in _SOURCES} if last else {}
        text = ", ".join(f"{name} {value:,.0f}" for name, value in parts.items() if value)
        if last and text:
            yield presentation.Turn(last["tick"], f"experience of {side}", text, team)


#: Sources of experience.
_SOURCES = "minions passive heroes structures mercenaries".split()


def units_by_tag(replay: ReplayLike) -> Callable[[Event], presentation.EventUnit | None]:
    """Return a function from an event to its unit: deaths name the unit by its tag only."""
    columns = ["unit", "unit_type", "player"]
    table = replay.table("units", columns=columns)
    held = (table[name].to_pylist() for name in columns)
    units = {unit: presentation.EventUnit(kind, player) for unit, kind, player in zip(*held, strict=True)}
    return lambda event: units.get(event.payload.get("unit"))


_is_kill = presentation.of_kinds("player_killed")


def kill(event: Event, unit: EventUnit | None) -> presentation.Kill | None:
    """Return the death of a hero, by another one or by something that is no player."""
    return presentation.Kill(event.player, event.payload.get("victim_player")) if _is_kill(event, unit) else None


def _statistic(event: Event) -> str | None:
    return event.payload.get("statistic") if event.kind == "statistic_reported" else None


def _is_objective(event: Event, unit: EventUnit | None) -> bool:
    """Return whether a town or a camp fell, or the map reports of an objective of its own."""
    return (name := _statistic(event)) is not None and name not in OF_EVERY_MAP


def _is_noise(event: Event, unit: EventUnit | None) -> bool:
    """Return whether the map reports something of every minute."""
    return _statistic(event) in OF_EVERY_MAP - {"TalentChosen"}


#: What names of talents begin with, and is no part of their titles: the game's own word for the hero, and a class.
_HEROES = "KelThuzad|WitchDoctor|DemonHunter|LiLi|MalGanis|LostVikings|FaerieDragon|NexusHunter|WitchHunter|DVa"
_OF_HERO = re.compile(f"(?:{_HEROES}|[A-Z0-9]+(?=[A-Z][a-z])|[A-Z][a-z0-9]*)(?=[A-Z0-9])")
_CLASS = re.compile("(?:HeroicAbility|Mastery|CombatStyle|Talent|Heroic)(?=[A-Z])")


def talent_title(name: str) -> str:
    """Return a talent as a title made from the game's own name, as the files have no other:
    ``MuradinHeroicAbilityHaymaker`` is Haymaker."""
    bare = _CLASS.sub("", _OF_HERO.sub("", name, count=1), count=1).removesuffix("Talent")
    return re.sub(r"(?<=[a-z])(?=[A-Z0-9])|(?<=[0-9])(?=[A-Z][a-z])|(?<=[A-Z])(?=[A-Z][a-z])", " ", bare)


#: Words for what the map reports as objectives, and for the main buildings of towns.
_WORDS = {"structure_destroyed": "destroyed", "camp_captured": "captured"}
_TOWNS = {"TownTownHallL2": "fort", "TownTownHallL3": "keep", "TownStructureDeath": "structure of a town"}


def reports(replay: ReplayLike) -> Callable[[Event], Told]:
    """Return a function that tells a report of the map: a talent of a player, or an objective of a side."""
    rows = replay.table("objective_events", columns=["tick", "event", "kind", "team"]).to_pylist()
    known = {(row["tick"], row["kind"]): (row["event"], row["team"]) for row in rows}

    def told(event: Event) -> Told:
        name, texts = event.payload["statistic"], list((event.payload.get("texts") or {}).values())
        if name == "TalentChosen":
            (player,) = (event.payload.get("numbers") or {}).get("PlayerID") or (None,)
            return presentation.Told("talent", ", ".join(map(talent_title, texts)), player)
        what = next((each for each in (*texts, name) if (event.tick, each) in known), name)
        word, team = known.get((event.tick, what), ("", None))
        title = _TOWNS.get(what) or spaced(what)
        return presentation.Told(_WORDS.get(word, "objective"), title, None, team)

    return told


def picks(replay: ReplayLike) -> Callable[[Event], Told]:
    """Return a function that tells a pick or a ban of the draft."""
    drafted = {row["hero"]: row["player"] for row in replay.table("draft").to_pylist()}
    shown = {player.player: PRESENTATION.character(player) for player in replay.players}

    def told(event: Event) -> Told:
        hero, word = event.payload["hero"], event.kind.removeprefix("hero_")
        player = drafted.get(hero)
        text = shown.get(player) or spaced(hero)
        return presentation.Told({"picked": "pick"}.get(word, "ban"), text, player, event.payload.get("team_id"))

    return told


def motion(replay: Any) -> Motion:
    """Return the moving units of a replay."""
    from playhead.hots.motion import HotsMotion

    return HotsMotion(replay)


SIDES = {1: "Blue", 2: "Red"}
SERIES = (
    presentation.SeriesSource(
        "player_series",
        {name: (name,) for name in "level kills deaths assists regen_globes talents_chosen xp".split()},
        step=1.0,
        sampled=True,
    ),
)
_EXPERIENCE = presentation.Series("xp", ("xp_all",), "experience", of_side=True)

PRESENTATION = presentation.Presentation(
    title=HEROES.title_of,
    sides=SIDES,
    nobody=0,
    character=lambda player: player.details.get("hero_shown") or player.character,
    player_facts=("party", "skin", "mount"),
    time="game_seconds",
    time_label="time on the game's clock (min:s, 0:00 is when the gates open)",
    economy=_EXPERIENCE,
    advantage=_EXPERIENCE,
    series=SERIES,
    curves={"kills": ("kills",), "globes": ("regen_globes",)},
    no_actions=frozenset({"camera_moved"}),
    deaths=deaths,
    deaths_label="deaths of heroes",
    highlights=highlights,
    builds=presentation.Builds("talents", "talent", "talents", title=talent_title),
    plots={
        "positions": "births, deaths and fights of units",
        "economy": "experience of the teams, where the map reports it",
        "advantage": "experience, between two sides",
        "activity": "actions without the camera",
        "kills": "where the map reports them",
    },
    report_tables=(
        *("info", "players", "chat", "player_stats", "kills", "talents", "objective_events", "draft"),
        *("structures", "xp"),
    ),
    feed=presentation.EventFeed(
        notable=(
            *("player_killed", "statistic_reported", "chat_sent", "ping_sent", "hero_banned", "hero_picked"),
            "player_left",
        ),
        words={"statistic_reported": "map and talents", "hero_picked": "pick", "hero_banned": "ban"},
        told={"statistic_reported": reports, "hero_picked": picks, "hero_banned": picks},
        jumps=(
            presentation.Jump("kill", "x", _is_kill),
            presentation.Jump("fight", "g", _is_kill, presentation.Cluster(3, 15.0)),
            presentation.Jump("objective", "o", _is_objective),
        ),
        units={"unit_killed": units_by_tag},
        hidden_fields=frozenset(
            "unit unit_index unit_recycle upkeep_player control_player user attacker_unit reason_id "
            "target_unit channel_id".split()
        ),
        kill=kill,
        noise=_is_noise,
        opens_on=(presentation.Opening("the largest fight", _is_kill),),
    ),
    map=presentation.MapLook(
        motion=motion,
        length=("cells", 1.0),
        samples="births, deaths and fights of units",
        marks=marks,
        mark_styles={
            "town": presentation.MarkStyle(size=2.0, symbol="s", area=46.0),
            "camp": presentation.MarkStyle("disc", 1.2, "#8fa3b8", "D", 20.0),
        },
        mark_radius=1.6,
        unit_radius=0.8,
        fade_seconds=60.0,
        camera=(30.0, 18.0),
        layers=("names", "trails", "units", "cameras", "orders"),
        legend=(
            ("number", "hero, paler if seen long ago"),
            ("small", "minion, mercenary or summon"),
            ("block", "building"),
            ("outline", "fort, keep or core"),
            ("frame", "screen of a player"),
            ("cross", "last order"),
        ),
        ground=ground,
        tables=("structures", "camps", "positions"),
    ),
    stage=presentation.Stage(
        colours={1: "#3f8fe0", 2: "#e0483e"},
        scores=presentation.kill_scores,
        score_label="kills",
        facts=("hero", "level"),
        turns=turns,
        tables=(
            (
                "player_stats",
                tuple(
                    "player kills deaths assists hero_damage score_siege_damage healing damage_taken "
                    "score_experience_contribution".split()
                ),
            ),
        ),
    ),
    wording=presentation.Wording(
        prefixes="Hero(?=[A-Z])",
        hidden_names="LootBanner|Experience|HallOfStorms|StormGameStart|ConveyorBelt|DeadUnit|JungleCampIcon",
        fact_names={
            "talents_chosen": "talents",
            "score_siege_damage": "siege damage",
            "score_experience_contribution": "experience",
        },
        hidden_facts=("hero",),
    ),
)
