"""Rebuild ``src/playhead/sc2/abilities/ability_links.json``: catalog links of abilities, measured on real replays.

    python tools/learn_sc2_ability_links.py FILE|DIR… [--anew]    # replays; folders with all below them

sc2reader's lists of abilities (`tools/build_sc2_names.py`) are those of few builds; each patch shifts most of the
later links. An order fits a name if a caster of that ability was selected and the order has its kind of target
(`SIGNATURES`; of a command that makes something, the makers of its product). It proves the name if the tracker
shows the effect: the unit appears near the target, the caster becomes another type, the product follows.

For each build the shifts of the list are those on which most orders fit; a link whose orders fit no name of the
list has the only name that they fit, or none. A name that the orders of a second replay contradict is refused. A
row of the file is the link, its name (null: not the list's), and the evidence: orders that fit, orders with a
visible effect, the first such order's replay (begin of its SHA-256) and loop. Rows that begin and end a run of
equal shifts are kept; `playhead.sc2.abilities.bundled` shifts the links between them. Known builds stay as they
are; with ``--anew`` the file has the builds of these replays alone.
"""

from __future__ import annotations

import hashlib
import sys
from array import array
from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from math import hypot, log2
from pathlib import Path

from learn_sc2_unit_links import anchors, replays, write

import playhead
from playhead.blizzard.encoding.field_column import NOTHING
from playhead.blizzard.events.commands import NO_LINK, TARGET_POINT, TARGET_UNIT
from playhead.blizzard.events.scope import FINE
from playhead.blizzard.events.tracker import UpgradeEvent
from playhead.blizzard.protocol.tables import GAME, TRACKER
from playhead.blizzard.units import changes
from playhead.blizzard.units.states import types_at
from playhead.blizzard.units.tracked import unit_history
from playhead.sc2.abilities.bundled import commands_of, listed_abilities
from playhead.sc2.members.setting import ARCADE, COOP, game_of
from playhead.sc2.replay import Sc2Replay
from playhead.sc2.state.orders import COMMAND, command_rows
from playhead.sc2.state.production.facts import MORPHS, makers, production_facts
from playhead.sc2.state.selections.timeline import selected_before

TARGET = Path(__file__).parents[1] / "src" / "playhead" / "sc2" / "abilities" / "ability_links.json"
#: Ability, its casters, kinds of its targets (n none, p point, u unit), and its effect: the type that appears near
#: the target (near) or anywhere (makes), or that the caster becomes; or the types of its targets (at). Base builds
#: that do not have the ability are left out (since, until).
SIGNATURES = """
AdeptPhaseShift Adept p makes=AdeptPhaseShift
AdeptShadePhaseShiftCancel AdeptPhaseShift n
AdeptPhaseShiftCancel Adept n
AmorphousArmorcloud Infestor p
ArchonWarp HighTemplar,DarkTemplar n
AssaultMode VikingFighter n becomes=VikingAssault
BansheeCloak Banshee n
BarracksLand BarracksFlying p becomes=Barracks
BarracksLiftOff Barracks n becomes=BarracksFlying
BatteryOvercharge Nexus u at=ShieldBattery
BlindingCloud Viper p
Blink Stalker p
BuildAutoTurret Raven p near=AutoTurret
BuildNydusCanal NydusNetwork p near=NydusCanal,GreaterNydusWorm
BurrowBanelingUp BanelingBurrowed n becomes=Baneling
BurrowBanelingDown Baneling n becomes=BanelingBurrowed
BurrowDroneDown Drone n becomes=DroneBurrowed
BurrowDroneUp DroneBurrowed n becomes=Drone
BurrowInfestorDown Infestor n becomes=InfestorBurrowed
BurrowInfestorUp InfestorBurrowed n becomes=Infestor
BurrowLurkerMPDown LurkerMP n becomes=LurkerMPBurrowed
BurrowLurkerMPUp LurkerMPBurrowed n becomes=LurkerMP
BurrowQueenDown Queen n becomes=QueenBurrowed
BurrowQueenUp QueenBurrowed n becomes=Queen
BurrowRoachDown Roach n becomes=RoachBurrowed
BurrowRoachUp RoachBurrowed n becomes=Roach
BurrowZerglingDown Zergling n becomes=ZerglingBurrowed
BurrowZerglingUp ZerglingBurrowed n becomes=Zergling
CalldownMULE OrbitalCommand,OrbitalCommandFlying up near=MULE
CausticSpray Corruptor u
CarrierHangar Carrier n
ChannelSnipe Ghost,GhostAlternate,GhostNova u
ChronoBoostEnergyCost Nexus u at=+buildings since=59587
CommandCenterLand CommandCenterFlying p becomes=CommandCenter
CommandCenterLiftOff CommandCenter n becomes=CommandCenterFlying
DarkTemplarBlink DarkTemplar p
CreepTumorBuild Queen,CreepTumorBurrowed,CreepTumorQueen p near=CreepTumor,CreepTumorQueen
CreepTumorBurrowedBuild Queen,CreepTumorBurrowed,CreepTumorQueen p near=CreepTumor,CreepTumorQueen
EMP Ghost,GhostAlternate,GhostNova p
EnergyRecharge Nexus u at=HighTemplar,Sentry,Oracle,Mothership,ShieldBattery
Explode Baneling,BanelingBurrowed n
FactoryLand FactoryFlying p becomes=Factory
FactoryLiftOff Factory n becomes=FactoryFlying
Feedback HighTemplar u
FighterMode VikingAssault n becomes=VikingFighter
ForceField Sentry p near=ForceField
FungalGrowth Infestor p
GenerateCreep Overlord n
GravitonBeam Phoenix u
GuardianShield Sentry n
HallucinationArchon Sentry n makes=Archon
HallucinationColossus Sentry n makes=Colossus
HallucinationOracle Sentry n makes=Oracle
HallucinationPhoenix Sentry n makes=Phoenix
HallucinationStalker Sentry n makes=Stalker
HallucinationVoidRay Sentry n makes=VoidRay
HydraliskFrenzy Hydralisk n
Hyperjump Battlecruiser p
KD8Charge Reaper up near=KD8Charge
LiberatorAATarget LiberatorAG n becomes=Liberator
LiberatorAGTarget Liberator p becomes=LiberatorAG
LockOn Cyclone un
MedivacSpeedBoost Medivac n
MorphToBroodLord Corruptor n becomes=BroodLordCocoon
MorphToHellion HellionTank n becomes=Hellion
MorphToHellionTank Hellion n becomes=HellionTank
MorphToLurker Hydralisk n becomes=LurkerMPEgg
MorphToMothership MothershipCore n becomes=Mothership
MorphToOverseer Overlord n becomes=OverlordCocoon
MorphToRavager Roach n becomes=RavagerCocoon
MorphToTransportOverlord Overlord n becomes=TransportOverlordCocoon
MorphZerglingToBaneling Zergling n becomes=BanelingCocoon
MorphToBaneling Zergling n becomes=BanelingCocoon
MothershipCloak Mothership n
MothershipCoreMassRecall MothershipCore u at=Nexus
MothershipCorePurifyNexus MothershipCore u at=Nexus,Pylon
NeuralParasite Infestor,InfestorBurrowed u
NexusMassRecall Nexus p since=59587
NydusNetworkBuild NydusNetwork p near=NydusCanal,GreaterNydusWorm
ObserverMorphtoObserverSiege Observer n becomes=ObserverSiegeMode
ObserverSiegeMorphtoObserver ObserverSiegeMode n becomes=Observer
OracleRevelation Oracle p
OracleBuild Oracle p near=OracleStasisTrap
OracleStasisTrapBuild Oracle p near=OracleStasisTrap
OracleWeapon Oracle n
OrbitalCommandLand OrbitalCommandFlying p becomes=OrbitalCommand
OrbitalLiftOff OrbitalCommand n becomes=OrbitalCommandFlying
OverseerMorphtoOverseerSiegeMode Overseer n becomes=OverseerSiegeMode
OverseerSiegeModeMorphtoOverseer OverseerSiegeMode n becomes=Overseer
ParasiticBomb Viper u
PhasingMode WarpPrism n becomes=WarpPrismPhasing
PlacePointDefenseDrone Raven p near=PointDefenseDrone
PsiStorm HighTemplar p
PurificationNovaTargeted Disruptor p makes=DisruptorPhased
RavagerCorrosiveBile Ravager p
RavenScramblerMissile Raven u
RavenShredderMissile Raven u
SalvageEffect Bunker n
SalvageShared Bunker n
ScannerSweep OrbitalCommand p
SiegeMode SiegeTank n becomes=SiegeTankSieged
Snipe Ghost,GhostAlternate,GhostNova u
SpawnChangeling Overseer,OverseerSiegeMode n near=Changeling
SpawnLarva Queen u at=Hatchery,Lair,Hive
SpawnLocustsTargeted SwarmHostMP p makes=LocustMP,LocustMPFlying
SpineCrawlerRoot SpineCrawlerUprooted p becomes=SpineCrawler
SpineCrawlerUproot SpineCrawler n becomes=SpineCrawlerUprooted
SporeCrawlerRoot SporeCrawlerUprooted p becomes=SporeCrawler
SporeCrawlerUproot SporeCrawler n becomes=SporeCrawlerUprooted
StarportLand StarportFlying p becomes=Starport
StarportLiftOff Starport n becomes=StarportFlying
Stimpack Marine n
StimpackMarauder Marauder n
StimpackMarauderRedirect Bunker n
StimpackRedirect Bunker n
SupplyDepotLower SupplyDepot n becomes=SupplyDepotLowered
SupplyDepotRaise SupplyDepotLowered n becomes=SupplyDepot
SupplyDrop OrbitalCommand,OrbitalCommandFlying u at=SupplyDepot,SupplyDepotLowered
TemporalField Mothership,MothershipCore p
ThorAPMode Thor n becomes=ThorAP
ThorNormalMode ThorAP n becomes=Thor
TimeWarp Nexus u at=+buildings until=59587
TransportMode WarpPrismPhasing n becomes=WarpPrism
Transfusion Queen u
que5Passive Nexus n
Unsiege SiegeTankSieged n becomes=SiegeTank
UpgradeToWarpGate Gateway n becomes=WarpGate
ViperConsumeStructure Viper u
VoidRaySwarmDamageBoost VoidRay n
WidowMineAttack WidowMineBurrowed u
WidowMineBurrow WidowMine n becomes=WidowMineBurrowed
WidowMineUnburrow WidowMineBurrowed n becomes=WidowMine
Yamato Battlecruiser u
Yoink Viper u
"""
WORKERS, LARVAE = frozenset({"SCV", "Probe", "Drone"}), frozenset({"Larva", "Egg"})
#: Loops in which an effect shows, and cells between the target and what appears there.
SOON, LATER, NEAR = 160, 900, 5.0
#: A name needs this share of fitting orders; an effect, if the signature has one, this share of visible ones.
SHARE, VISIBLE = 0.75, 0.3
#: A replay with so many orders of a link contradicts another.
ENOUGH = 3
#: Links up to this one are of orders that units of all kinds have, such as to attack: they are the lists'.
GENERAL = 47
#: The largest shift of a list, and what a change of the shift costs, in the points of a fitting link.
MOST_SHIFT, CHANGE_COST = 60, 3.0


@dataclass(frozen=True)
class Signature:
    """What orders of an ability look like."""

    casters: frozenset[str]
    targets: str
    effect: str = ""
    types: frozenset[str] = frozenset()
    since: int = 0
    until: int = 1 << 32


@dataclass(frozen=True)
class Order:
    """An order: casters by tag with their types, its target, and the replay in which it was given."""

    replay: Replay
    link: int
    index: int
    loop: int
    player: int
    casters: tuple[tuple[int, str], ...]
    target: str
    target_type: str | None
    x: float
    y: float


@dataclass
class Replay:
    """What the tracker of a replay shows: loops of types that units become and that players get."""

    name: str
    base_build: int
    appeared: dict[tuple[int, str], list[tuple[int, float, float]]] = field(
        default_factory=lambda: defaultdict(list)
    )
    became: dict[tuple[int, str], list[int]] = field(default_factory=lambda: defaultdict(list))


def signatures() -> dict[str, Signature]:
    """Return `SIGNATURES`, by ability."""
    found = {}
    for line in SIGNATURES.split("\n"):
        if line:
            name, casters, targets, *more = line.split()
            given = dict(each.split("=") for each in more)
            builds = int(given.pop("since", 0)), int(given.pop("until", 1 << 32))
            effect, types = next(iter(given.items()), ("", ""))
            of_effect = frozenset(types.split(",")) - {""}
            found[name] = Signature(frozenset(casters.split(",")), targets, effect, of_effect, *builds)
    return found


KNOWN = signatures()


@cache
def product_signature(command: str, base_build: int) -> Signature | None:
    """Return the signature of a command that makes something."""
    facts = production_facts(base_build)
    product = facts.products.get(command)
    if product is None:
        return None
    made_in = makers().get(product)
    if made_in:
        return Signature(frozenset(made_in) | MORPHS.get(product, frozenset()), "np", "gets", frozenset({product}))
    if command.startswith("Build"):
        return Signature(WORKERS, "pu", "near", frozenset({product}))
    if command.startswith("Morph") and not command.startswith("MorphTo"):
        return Signature(LARVAE, "n", "gets", frozenset({product}))
    return None


def signature_of(name: str | None, order: Order) -> Signature | None:
    """Return the signature of a command of an ability; None if it is unknown."""
    if name is None:
        return None
    if name in KNOWN:
        return KNOWN[name] if order.index == 0 else None
    commands = commands_of(name)
    command = commands[order.index] if order.index < len(commands) else ""
    return product_signature(command, order.replay.base_build) if command else None


def fits(signature: Signature, order: Order) -> bool:
    """Return whether an order can be of an ability."""
    types = {type_ for _, type_ in order.casters}
    if not types & signature.casters or order.target not in signature.targets:
        return False
    if not signature.since <= order.replay.base_build < signature.until:
        return False
    if signature.effect == "at":
        if "+buildings" in signature.types:
            return order.target_type in producing()
        return order.target_type in signature.types
    return True


@cache
def producing() -> frozenset[str]:
    """Return the types of buildings that make something."""
    return frozenset(name for names in makers().values() for name in names) | {"Nexus", "Gateway", "WarpGate"}


def shows(signature: Signature, order: Order) -> bool:
    """Return whether the tracker shows the effect of an order."""
    replay = order.replay
    if signature.effect == "at":
        return True
    until = order.loop + (LATER if signature.types & producing() or signature.casters & WORKERS else SOON)
    if signature.effect == "becomes":
        return any(
            within(replay.became[tag, type_], order.loop, order.loop + LATER)
            for tag, was in order.casters
            if was in signature.casters
            for type_ in signature.types
        )
    if signature.effect == "gets":
        needed = production_facts(order.replay.base_build).build_loops.get(next(iter(signature.types)), 0)
        first, last = order.loop + round(needed * 0.4), order.loop + needed * 2 + LATER
        return any(
            first <= loop <= last for type_ in signature.types for loop, _, _ in appeared(order, type_)
        ) or any(
            within(replay.became[tag, type_], first, last) for tag, _ in order.casters for type_ in signature.types
        )
    if signature.effect in ("near", "makes"):
        anywhere = order.target == "n" or signature.effect == "makes"
        return any(
            order.loop <= loop <= until and (anywhere or hypot(x - order.x, y - order.y) <= NEAR)
            for type_ in signature.types
            for loop, x, y in appeared(order, type_)
        )
    return False


def appeared(order: Order, type_: str) -> list[tuple[int, float, float]]:
    """Return loop and place of each unit of a type that the player got, or that belongs to nobody."""
    return order.replay.appeared[order.player, type_] + order.replay.appeared[0, type_]


def within(loops: list[int], first: int, last: int) -> bool:
    """Return whether a loop of an ascending list is in a range."""
    return bisect_left(loops, first) < bisect_right(loops, last)


def read(path: Path) -> tuple[tuple[str, int], list[Order]] | None:
    """Return game, data build and orders of a replay on Blizzard's data; None of others."""
    replay = playhead.open(path)
    assert isinstance(replay, Sc2Replay)
    recording = replay.recording
    game, tracker, header = recording.stream(GAME), recording.stream(TRACKER), recording.container.header
    names = recording.ability_names
    if game is None or tracker is None or not tracker.kinds or header is None or names is None or names.modded:
        return None
    if replay.info.details.get("mode") in (ARCADE, COOP):
        return None
    held = Replay(hashlib.sha256(path.read_bytes()).hexdigest()[:12], header.base_build)
    history, cells = unit_history(tracker), recording.event_scope.tracker_cells
    for row, change in enumerate(history.change):
        type_ = history.text(history.unit_type[row])
        if change in (changes.BORN, changes.INIT):
            spot = (history.loop[row], history.x[row] * cells, history.y[row] * cells)
            held.appeared[history.player[row], type_].append(spot)
        elif change == changes.TYPE:
            held.became[history.index[row] << 18 | history.recycle[row], type_].append(history.loop[row])
    loops = game.rows.heads[0]
    got = tracker.of(UpgradeEvent)
    for row, player, name in zip(got.orders, got.numbers("m_playerId"), got.numbers("upgrade"), strict=True):
        if name != NOTHING:
            held.appeared[player, tracker.rows.texts[name]].append((tracker.rows.heads[0][row], 0.0, 0.0))
    rows = command_rows(game)
    given = rows.columns
    places = [
        place
        for place, part in enumerate(rows.merged.part)
        if rows.kinds[part] == COMMAND and given["ability_id"][place] not in (NOTHING, NO_LINK)
    ]
    at = [rows.merged.orders[place] for place in places]
    tags = list(selected_before(game, at))
    flat = array("q", [tag for each in tags for tag in each])
    when = array("q", [loops[row] for row, each in zip(at, tags, strict=True) for _ in each])
    types = iter(types_at(history, flat, when))
    aimed = types_at(
        history,
        array("q", [given["target_unit"][place] for place in places]),
        array("q", [loops[row] for row in at]),
    )
    texts, orders, players = history.texts, [], recording.players_by_user
    for place, row, each, aim in zip(places, at, tags, aimed, strict=True):
        found = tuple((tag, texts[type_]) for tag, type_ in zip(each, types, strict=False) if type_ != NOTHING)
        kind = {TARGET_POINT: "p", TARGET_UNIT: "u"}.get(rows.targets[place], "n")
        x, y = (given[axis][place] for axis in "xy")
        player = players.get(game.rows.heads[1][row])
        about = (given["ability_id"][place], given["ability_index"][place], loops[row], player or 0, found, kind)
        orders.append(Order(held, *about, None if aim == NOTHING else texts[aim], x / FINE, y / FINE))
    data_build = header.data_build or header.build
    return (game_of(recording.cache_handles, data_build), data_build), orders


@dataclass
class Vote:
    """Orders of a link against a name: those with a signature, those that fit, those with a visible effect."""

    signed: int = 0
    fitting: int = 0
    visible: int = 0
    first: tuple[str, int] | None = None
    by_replay: dict[str, list[int]] = field(default_factory=lambda: defaultdict(lambda: [0, 0]))
    needs: bool = False

    @property
    def holds(self) -> bool:
        """Whether the name is that of the link."""
        return self.signed > 0 and self.fitting >= SHARE * self.signed and not self.contradicted

    @property
    def seen(self) -> bool:
        """Whether enough effects are visible."""
        return not self.needs or self.visible >= VISIBLE * self.fitting

    @property
    def contradicted(self) -> bool:
        """Whether the orders of one replay speak for the name, and those of another against it."""
        shares = [fit / all_ for all_, fit in self.by_replay.values() if all_ >= ENOUGH]
        return min(shares, default=1.0) < 0.5 <= max(shares, default=0.0)


def vote(name: str | None, orders: list[Order]) -> Vote:
    """Return how the orders of a link speak for a name."""
    found = Vote()
    for order in orders:
        signature = signature_of(name, order)
        if signature is None or not order.casters or (signature.effect == "at" and order.target_type is None):
            continue
        fit, counts = fits(signature, order), found.by_replay[order.replay.name]
        found.signed += 1
        found.needs |= bool(signature.effect)
        counts[0] += 1
        if fit:
            counts[1] += 1
            found.fitting += 1
            visible = shows(signature, order)
            found.visible += visible
            if found.first is None or (visible and found.visible == 1):
                found.first = (order.replay.name, order.loop)
    return found


def aligned(orders: Mapping[int, list[Order]], listed: Mapping[int, str]) -> dict[int, tuple[str, Vote]]:
    """Return the names of links on the shifts of a list that fit best, with their votes."""
    links = sorted(orders)
    shifts = range(-MOST_SHIFT, MOST_SHIFT + 1)
    votes: dict[tuple[int, int], Vote] = {}
    best: dict[int, tuple[float, list[int]]] = {shift: (-abs(shift) * 0.01, []) for shift in shifts}
    for link in links:
        top, path = max(best.values(), key=lambda each: each[0])
        found = {}
        for shift in shifts:
            held = votes[link, shift] = vote(listed.get(link - shift), orders[link])
            points = min(4.0, 1 + log2(max(1, held.signed))) * (1 if held.holds else -1) if held.signed else 0.0
            points *= 1.0 if held.seen else 0.4
            stay = best[shift]
            origin = stay if stay[0] >= top - CHANGE_COST else (top - CHANGE_COST, path)
            found[shift] = (origin[0] + points, [*origin[1], shift])
        best = found
    _, path = max(best.values(), key=lambda each: each[0])
    return {
        link: (listed[link - shift], votes[link, shift])
        for link, shift in zip(links, path, strict=True)
        if votes[link, shift].holds
    }


def unsigned(name: str) -> bool:
    """Return whether a listed name has no commands: those of bridges, doors …"""
    return name not in KNOWN and not commands_of(name)[:1]


def only_name(orders: list[Order]) -> tuple[str, Vote] | None:
    """Return the only ability whose signature the orders of a link fit; None of several or none."""
    held = [(name, each) for name in KNOWN if (each := vote(name, orders)).holds and each.seen]
    if len(held) > 1:
        held = [(name, each) for name, each in held if each.needs]
    if len(held) != 1:
        return None
    _, found = held[0]
    return held[0] if found.fitting > 1 or (found.visible and KNOWN[held[0][0]].effect != "at") else None


def measured(orders: list[Order], game: str, build: int) -> Iterator[tuple[int, str | None, Vote]]:
    """Yield the links of a build with their names, None for those that are not the list's."""
    of_link: dict[int, list[Order]] = defaultdict(list)
    for order in orders:
        of_link[order.link].append(order)
    listed = listed_abilities(game, build)
    attacks = [link for link in of_link if listed.get(link) == "attack"]
    of_link = {link: given for link, given in of_link.items() if link > GENERAL}
    names = aligned(of_link, listed)
    taken = {name for name, _ in names.values()}
    if attacks and attacks[0] <= GENERAL:
        yield attacks[0], "attack", Vote()
    for link, given in sorted(of_link.items()):
        against = vote(listed.get(link), given)
        # Orders of one kind or two may be of another ability with the same looks.
        decided = link not in listed or (against.signed > 0 and against.fitting < against.signed / 2)
        found = names.get(link) or (only_name(given) if decided or unsigned(listed[link]) else None)
        if found is not None and (link in names or found[0] not in taken):
            yield link, *found
            continue
        if against.contradicted:
            print(
                f"{game} {build} {link}: {listed.get(link)} is refused, replays differ: {dict(against.by_replay)}"
            )
        if against.signed >= ENOUGH and against.fitting < against.signed / 2:
            yield link, None, against


def main(*places: str, anew: bool) -> None:
    """Read the replays and write `TARGET`."""
    seen: dict[tuple[str, int], list[Order]] = defaultdict(list)
    for path in replays(places):
        got = read(path)
        if got is not None:
            seen[got[0]] += got[1]
    found: dict[str, dict[str, list[list[object]]]] = defaultdict(dict)
    differ: Counter[str] = Counter()
    for (game, build), orders in sorted(seen.items()):
        rows = {link: (name, held) for link, name, held in measured(orders, game, build)}
        listed = listed_abilities(game, build)
        named = {link: name for link, (name, _) in rows.items() if name is not None}
        kept = {link for link, _ in anchors(named, dict(listed))} | (rows.keys() - named.keys())
        found[game][str(build)] = [
            [link, name, held.fitting, held.visible, *(held.first or ("", 0))]
            for link, (name, held) in sorted(rows.items())
            if link in kept
        ]
        differ[f"{game} {build}"] = sum(listed.get(link) != name for link, (name, _) in rows.items())
    print(f"{TARGET.name}: {write(TARGET, found, anew=anew)} builds, {TARGET.stat().st_size} bytes")
    print("links with another name than the list's:", dict(+differ))


if __name__ == "__main__":
    main(*(word for word in sys.argv[1:] if word != "--anew"), anew="--anew" in sys.argv)
