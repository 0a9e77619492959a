"""Rules that explain the differences which `sc2_compare.py` finds, each checked with the tracker or the bytes.

A rule gets one difference and returns the reason if its proof is there, else None. Versions: sc2reader 1.9.0,
spawningtool 3.0.0.
"""

from __future__ import annotations

import json
import sys
from collections import Counter, defaultdict
from collections.abc import Container, Iterable, Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

from playhead.sc2.abilities.unit_types import display_name
from playhead.sc2.replay import Sc2Replay

sys.path.insert(0, str(Path(__file__).parents[2] / "tools"))
#: Casters of commands whose targets and effects `tools/learn_sc2_ability_links.py` does not check.
CASTERS = {
    "OracleStasisTrapActivate": "OracleStasisTrap",
    "OracleWeaponOff": "Oracle",
    "ReleaseInterceptors": "Carrier",
    "UpgradeToLurkerDenMP": "HydraliskDen",
    "UnloadTargetMedivac": "Medivac",
    "UnloadTargetWarpPrism": "WarpPrism",
    "CreepTumor": "Queen",
    "CreepTumorBurrowedBuild": "CreepTumorBurrowed",
    "CancelTerranBuilding": "SCV",
    "CancelLast": "CommandCenter",
    "CancelBuilding": "EngineeringBay",
    **{
        f"Build{name}{addon}": name
        for name in ("Barracks", "Factory", "Starport")
        for addon in ("TechLab", "Reactor")
    },
}
#: Ability, link, index and loop of an order, and its two names; None where a reader has none.
Named = tuple[int, int, int, str | None, str | None]


class Proofs:
    """What the tracker and the orders of a replay prove."""

    def __init__(self, replay: Sc2Replay, path: Path) -> None:
        self.replay = replay
        self.path = path
        self._left: dict[str, Counter[int]] = {}

    @cached_property
    def orders(self) -> Mapping[tuple[int, int, int], Any]:
        """Orders with casters and targets, by loop, link and index; none without a tracker or on data of a map."""
        from learn_sc2_ability_links import read

        found = read(self.path)
        return {} if found is None else {(each.loop, each.link, each.index): each for each in found[1]}

    @cached_property
    def units(self) -> list[dict[str, Any]]:
        """The table ``units``."""
        return self.replay.table("units").to_pylist()

    @cached_property
    def types(self) -> Mapping[int, set[str]]:
        """All types that each unit had, by its tag."""
        found: dict[int, set[str]] = defaultdict(set)
        for row in self.replay.table("unit_changes").to_pylist():
            if row["unit"] is not None and row["unit_type"]:
                found[row["unit"]].add(row["unit_type"])
        return found

    @cached_property
    def twice(self) -> Counter[int]:
        """Rows of statistics that the tracker has a second time in a loop, by player."""
        rows = Counter(
            (row["tick"], json.loads(row["fields"])["m_playerId"])
            for row in self.replay.table("tracker_events").to_pylist()
            if row["event"] == "SPlayerStatsEvent"
        )
        return Counter({player: count - 1 for (_, player), count in rows.items() if count > 1}) if rows else rows

    def sample(self, peer: str, player: int) -> str | None:
        """Return why a peer has one more row of a player's statistics."""
        if player not in {each.player for each in self.replay.players}:
            return "the row of an observer"
        left = self._left.setdefault(peer, Counter(self.twice))
        if left[player] > 0:
            left[player] -= 1
            return "the tracker has two rows of the player in a loop, ours is the last"
        return None

    @cached_property
    def births(self) -> set[tuple[int, int]]:
        """Index and recycle of each unit whose birth or construction the tracker has."""
        found = set()
        for row in self.replay.table("tracker_events").to_pylist():
            if row["event"] in ("SUnitBornEvent", "SUnitInitEvent"):
                fields = json.loads(row["fields"])
                found.add((fields["m_unitTagIndex"], fields["m_unitTagRecycle"]))
        return found

    def name(self, loop: int, link: int, index: int, ours: str | None, theirs: str | None) -> str | None:
        """Return why an order has another name than sc2reader's."""
        from learn_sc2_ability_links import fits, shows, signature_of

        names = self.replay.recording.ability_names
        ability = None if names is None else names.abilities.get(link)
        order = self.orders.get((loop, link, index))
        if ours is None:
            return (
                None if link in (names.abilities if names else {}) else "no name: measured shifts differ around it"
            )
        if order is not None:
            types = {type_ for _, type_ in order.casters}
            signature = signature_of(ability, order)
            if signature is not None and shows(signature, order):
                return "the tracker shows the effect of our name"
            if signature is not None and fits(signature, order):
                return "caster and target fit our name"
            caster = CASTERS.get(ours, "none")
            if any(type_.startswith(caster) or type_ in (ability or "") for type_ in types):
                return "the caster is that of our name"
            if "Cancel" in ours and any("Cocoon" in type_ or "Egg" in type_ for type_ in types):
                return "the caster is that of our name"
        if theirs is None and ours == ability:
            return "the ability is named, its command has no name"
        return None

    def death(self, index: int) -> str | None:
        """Return why the tracker has one death of a unit's index more than `units`."""
        for row in self.replay.table("tracker_events").to_pylist():
            if row["event"] == "SUnitDiedEvent":
                fields = json.loads(row["fields"])
                tag = fields["m_unitTagIndex"], fields["m_unitTagRecycle"]
                if tag[0] == index and tag not in self.births:
                    return "the tracker has this death, but no birth of the unit"
        return None

    def loss(self, name: str, loop: int, killer: int, bare: Any) -> str | None:
        """Return why spawningtool has a lost unit under another name."""
        for unit in self.units:
            if (unit["end_tick"], unit["attacker_player"]) != (loop, killer):
                continue
            types = self.types.get(unit["unit"], set()) | {unit["unit_type"], unit["first_unit_type"]}
            if name in {bare(display_name(type_)) for type_ in types} | {bare(type_) for type_ in types}:
                return "an earlier or later type of the unit; ours is that at its death"
            if any(type_.endswith("Cocoon") and type_.removesuffix("Cocoon") == name for type_ in types):
                return "a cocoon under the name of its product"
        return None

    @cached_property
    def orders_at(self) -> set[tuple[int, int | None]]:
        """Loop and player of each order and repetition."""
        rows = self.replay.table("commands", columns=["tick", "player"]).to_pylist()
        return {(row["tick"], row["player"]) for row in rows}

    @cached_property
    def ends(self) -> dict[int | None, set[int]]:
        """Loops in which products of buildings ended, by player."""
        found: dict[int | None, set[int]] = defaultdict(set)
        for row in self.replay.table("production").to_pylist():
            if row["state"] == "busy" and row["end_tick"] is not None:
                found[row["player"]].add(row["end_tick"])
        return found

    @cached_property
    def forms(self) -> dict[str, list[int]]:
        """Loops of changes of type, by the new type."""
        found: dict[str, list[int]] = defaultdict(list)
        for row in self.replay.table("unit_changes").to_pylist():
            if row["change"] == "type":
                found[row["unit_type"]].append(row["tick"])
        return found

    @cached_property
    def build_loops(self) -> dict[str, int]:
        """Build times of this build."""
        rows = self.replay.table("unit_types").to_pylist()
        return {row["catalog_key"]: row["build_ticks"] for row in rows if row["build_ticks"]}

    def start(
        self,
        row: Mapping[str, Any] | None,
        theirs: tuple[int, str, int] | None,
        bare: Any,
        listed: Container[str],
        begun: Container[tuple[int, int]],
    ) -> str | None:
        """Return why a step of a build order has another start than spawningtool's, or is of one side alone.

        Args:
            row: our step.
            theirs: player, name and loop there.
            bare: see `sc2_compare.bare`.
            listed: names of all of its steps in this replay.
            begun: player and loop of each.
        """
        if self.replay.recording.start_tick:
            return "loops from the start of a late game (GameHeart)"
        if row is None:
            assert theirs is not None
            return self._no_step(*theirs, bare)
        if theirs is None:
            known = bare(display_name(row["product"])) in listed
            renamed = row["kind"] == "upgrade" and (row["player"], row["tick"]) in begun
            return self._only_ours(row, known=known, renamed=renamed)
        source, start, end = row["known_by"], row["tick"], row["end_tick"]
        if end is not None and abs(end - theirs[2]) <= 16:
            return "it has no build time of the product, so its start is the end"
        if source in ("init", "morph"):
            return "ours: the tracker records it; there a birth less a build time"
        if source == "unknown":
            return "no build time is known: units and upgrades of missions and arcade maps"
        if source == "command":
            return "ours: the loop of an order" if (start, row["player"]) in self.orders_at else None
        if source == "queue":
            near = any(start + off in self.ends[row["player"]] for off in range(-2, 3))
            return "ours: the end of the product before it" if near else None
        if end is None:
            return None
        needed = self.build_loops.get(row["product"], 0)
        return self._other_build_time(row["product"], end - theirs[2], needed) or self._no_step(*theirs, bare)

    def _other_build_time(self, product: str, taken: float, needed: int) -> str | None:
        """Return why a birth less a build time is another loop there."""
        from playhead.sc2.state.production.facts import production_facts

        if self.replay.info.details.get("mode") in ("co-op", "arcade"):
            return "the build times of units and upgrades of missions are not known here, nor there"
        facts = production_facts(self.replay.recording.builds[0])
        if product in facts.boosted and 0 < taken <= needed + 32:
            return "both are births less a build time; there less the boosts of all buildings of the type"
        if needed and abs(taken - needed) <= 0.12 * needed:
            return "both are births less a build time; there in whole seconds of another patch"
        if needed and needed / 3 <= taken <= 3 * needed:
            return f"both are births less a build time: of {product} {taken:g} loops there, {needed} here"
        return None

    def _only_ours(self, row: Mapping[str, Any], *, known: bool, renamed: bool) -> str | None:
        """Return why spawningtool lacks a step."""
        if row["product"] == "WarpGate":
            return "the change into a Warp Gate, which it omits"
        if row["known_by"] == "unknown":
            return "no build time is known: units and upgrades of missions and arcade maps"
        if renamed:
            return "the upgrade that began then has another name there"
        if row["known_by"] in ("init", "morph"):
            return "ours: the tracker records it"
        return None if known else "its lists of the patch lack the product: it names none in the replay"

    def _no_step(self, player: int, name: str, loop: int, bare: Any) -> str | None:
        """Return why spawningtool has a step that is none here."""
        from playhead.sc2.state.production.facts import is_produced

        no_step = "the game makes it without a step of a build order (changelings, nukes, phase shifts …)"
        if not is_produced(name):
            return no_step
        for unit in self.units:
            type_ = unit["unit_type"]
            if name not in (bare(display_name(type_)), bare(type_)):
                continue
            if unit["hallucinated"]:
                return "a hallucination, which it counts as a unit"
            if not is_produced(type_):
                return no_step
        for row in self.replay.table("build_order").to_pylist():
            if row["player"] != player or abs(row["tick"] - loop) > 16:
                continue
            if name == bare(display_name(row["product"])) and row["outcome"] != "finished":
                return "a step without an end, here in `build_order` with its outcome"
            if row["kind"] == "upgrade":
                return "the upgrade that began then has another name here"
        if self.replay.info.details.get("mode") == "co-op":
            return "an upgrade of a mission, whose start and name are not known here"
        needed = self.build_loops.get(name, 0)
        for type_, loops in self.forms.items():
            if name in (bare(display_name(type_)), bare(type_)) and any(
                abs(each - needed - loop) <= 0.12 * needed + 32 for each in loops
            ):
                return "a change of form (unsieging, landing, unburrowing …), which it counts as a new unit"
        return None


def named_differences(replay: Sc2Replay, theirs: Iterable[Any], unnamed: Iterable[str]) -> Iterator[Named]:
    """Yield the orders whose names differ; all at loop 0 of a late game, whose loops sc2reader shifts."""
    late = replay.recording.start_tick > 0
    rows = replay.table("commands", columns=["tick", "ability_id", "ability_index", "ability", "kind"]).to_pylist()
    mine = Counter(
        (0 if late else row["tick"], row["ability_id"], row["ability_index"], row["ability"])
        for row in rows
        if row["ability"] and row["kind"] == "command_given"
    )
    others = Counter(
        (0 if late else loop, link, index, name) for loop, link, index, name in theirs if name not in unnamed
    )
    left: dict[tuple[int, int, int], list[str]] = defaultdict(list)
    for (*key, name), count in (others - mine).items():
        left[tuple(key)] += [name] * count  # type: ignore[index]
    for (*key, name), count in (mine - others).items():
        for _ in range(count):
            them = left[tuple(key)]  # type: ignore[index]
            yield (*key, name, them.pop() if them else None)  # type: ignore[misc]
    for key, names in left.items():
        for name in names:
            yield (*key, None, name)
