"""The probable winner, inferred from leaving and from lost structures, never from the recorded result.

Melee rules: a side whose last structure falls is out, and a player who leaves has lost. Games with fewer than two
sides have no inference, and callers exclude maps with their own rules. docs/starcraft2.md has the accuracy,
measured by ``tools/measure_sc2_winner.py``.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

from playhead.blizzard.encoding.field_column import NOTHING
from playhead.blizzard.events.columns import EventStream
from playhead.blizzard.events.game import GameUserLeaveEvent, PlayerLeaveEvent
from playhead.blizzard.protocol.tables import NO_USER
from playhead.blizzard.units import changes
from playhead.blizzard.units.tracked import spans_of_types, unit_spans
from playhead.model import Player
from playhead.runtime.records import dataclass

ELIMINATED, LEFT = "eliminated", "left"

#: Unit types that keep a side in a melee game, by the tracker's names.
STRUCTURES = frozenset(
    """
    CommandCenter CommandCenterFlying OrbitalCommand OrbitalCommandFlying PlanetaryFortress SupplyDepot
    SupplyDepotLowered Refinery RefineryRich Barracks BarracksFlying EngineeringBay MissileTurret Bunker
    SensorTower GhostAcademy Factory FactoryFlying Starport StarportFlying Armory FusionCore TechLab Reactor
    BarracksTechLab BarracksReactor FactoryTechLab FactoryReactor StarportTechLab StarportReactor Nexus
    Pylon Assimilator AssimilatorRich Gateway WarpGate Forge FleetBeacon TwilightCouncil PhotonCannon
    Stargate TemplarArchive DarkShrine RoboticsBay RoboticsFacility CyberneticsCore ShieldBattery Hatchery
    Lair Hive Extractor ExtractorRich SpawningPool EvolutionChamber HydraliskDen LurkerDen LurkerDenMP Spire
    GreaterSpire UltraliskCavern InfestationPit NydusNetwork NydusCanal BanelingNest RoachWarren
    SpineCrawler SpineCrawlerUprooted SporeCrawler SporeCrawlerUprooted
    """.split()
)


@dataclass(frozen=True, slots=True)
class Side:
    """One team at the end of the game.

    Attributes:
        team, players: as in table ``players``.
        recorded: the recorded result of its players; None if none is recorded or they differ.
        left: loop at which the last of them left; None if a player or a computer stayed.
        structures: remaining structures; None without the tracker, or if the team never had one.
        fallen: loop at which the last structure fell or changed its owner; None while one remains.
    """

    team: int
    players: tuple[int, ...]
    recorded: str | None
    left: int | None
    structures: int | None
    fallen: int | None


@dataclass(frozen=True, slots=True)
class Inference:
    """The probable winner and the evidence: ``eliminated``, ``left`` or ``eliminated, left``."""

    team: int
    evidence: str


def _leave_loops(game: EventStream | None, players_by_user: Mapping[int, int]) -> dict[int, int]:
    """Return the last loop at which each player left."""
    if game is None:
        return {}
    gone = game.of(GameUserLeaveEvent) if game.has(GameUserLeaveEvent) else game.of(PlayerLeaveEvent)
    rows = zip(gone.tick.to_pylist(), gone.user.to_pylist(), strict=True)
    return {players_by_user[user]: loop for loop, user in rows if user < NO_USER and user in players_by_user}


def sides(
    players: Sequence[Player],
    game: EventStream | None,
    tracker: EventStream | None,
    players_by_user: Mapping[int, int],
) -> tuple[Side, ...]:
    """Return the teams that play, in the order of their numbers."""
    teams: dict[int, list[Player]] = defaultdict(list)
    for player in players:
        if player.player is not None and player.team is not None:
            teams[player.team].append(player)
    left = _leave_loops(game, players_by_user)
    standing: dict[int, int] = {}
    fallen: dict[int, int] = {}
    if tracker is not None:
        held = spans_of_types(unit_spans(tracker), tracker.rows.texts, STRUCTURES, "player", "end", "cause")
        for owner, end, cause in held:
            if end == NOTHING:
                standing[owner] = standing.get(owner, 0) + 1
            elif cause in (changes.OWNER, changes.DIED):
                fallen[owner] = max(fallen.get(owner, 0), end)
        standing = dict.fromkeys(fallen, 0) | standing
    out = []
    for team, members in sorted(teams.items()):
        numbers = tuple(member.player for member in members if member.player is not None)
        gone = [left.get(number) for number in numbers]
        recorded = {member.details.get("recorded_result") for member in members} - {None}
        counts = [standing[number] for number in numbers if number in standing]
        last = max((fallen[number] for number in numbers if number in fallen), default=None)
        result = next(iter(recorded)) if len(recorded) == 1 else None
        over = None if None in gone else max(loop for loop in gone if loop is not None)
        count = sum(counts) if counts else None
        out.append(Side(team, numbers, result, over, count, None if any(counts) else last))
    return tuple(out)


def _not_eliminated(found: Sequence[Side]) -> int | None:
    if any(side.structures is None for side in found):
        return None
    standing = [side.team for side in found if side.structures]
    return standing[0] if len(standing) == 1 else None


def _last_to_leave(found: Sequence[Side], computers: bool) -> int | None:
    if computers:  # computers never leave, and players leave a computer that they have beaten
        return None
    loops = [(float("inf") if side.left is None else side.left, side.team) for side in found]
    (second, _), (last, team) = sorted(loops)[-2:]
    return team if second < last else None


def infer(found: Sequence[Side], *, computers: bool) -> Inference | None:
    """Return the probable winner; None if the file does not show it.

    Structures count more than the order of leaving: in a game that is already won, winners also leave first.

    Args:
        computers: whether a computer plays.
    """
    if len(found) < 2:
        return None
    standing, last = _not_eliminated(found), _last_to_leave(found, computers)
    if standing is not None:
        return Inference(standing, f"{ELIMINATED}, {LEFT}" if last == standing else ELIMINATED)
    return None if last is None else Inference(last, LEFT)
