"""Compare playhead with sc2reader and spawningtool on a folder of StarCraft II replays, and count by kind.

    python -m venv peers && peers/bin/pip install sc2reader==1.9.0 spawningtool==3.0.0
    python benchmarks/peers/sc2_compare.py FOLDER --python peers/bin/python [--verbose]

Each kind of fact has the values that are equal, those that differ, and those of one side alone. Multisets are
compared, so an equal value is equal with all its parts: a lost unit with name, loop and killer. `--verbose` prints
the first differences of each file.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import playhead
from playhead.sc2.abilities.unit_types import display_name
from playhead.sc2.members.setting import english_race
from playhead.sc2.replay import Sc2Replay

sys.path.insert(0, str(Path(__file__).parent))
from sc2_explained import Proofs, named_differences

DUMP = Path(__file__).with_name("sc2_dump.py")
#: spawningtool's loops of starts are the births less whole seconds, with other rules for boosts.
NEAR = 16
#: Names in spawningtool's lists by those of the game data.
RENAMED = {
    "BattleHellion": "HellionTank",
    "SwarmHost": "SwarmHostMP",
    "Lurker": "LurkerMP",
    "Hellbat": "HellionTank",
    **dict.fromkeys(("LurkerBurrowed", "LurkerMPBurrowed"), "LurkerMP"),
    "NydusWorm": "NydusCanal",
    "VikingFighter": "Viking",
    "VikingAssault": "Viking",
    "LurkerDen": "LurkerDenMP",
    "LurkerEgg": "LurkerMPEgg",
    "OverseerCocoon": "OverlordCocoon",
    "GhostAlternate": "Ghost",
    "TemplarArchive": "TemplarArchives",
    "CombatShields": "CombatShield",
    "AdrenalOverload": "AdrenalGlands",
    "WarpGateResearch": "WarpGate",
    # Of missions, which it names after units of the game.
    "HotSRaptor": "Zergling",
    "ZealotAiur": "Zealot",
    "SupplyDepotDrop": "SupplyDepot",
    "OmegaWorm": "GreaterNydusWorm",
    "QueenCoop": "Queen",
}
#: sc2reader's names of commands without an ability.
UNNAMED = ("", "RightClick")
Facts = Mapping[str, Iterable[Any]]


def plain(value: Any) -> Any:
    """Return a value that can be counted."""
    return tuple(map(plain, value)) if isinstance(value, list | tuple) else value


def for_sc2reader(replay: Sc2Replay) -> Facts:
    """Return playhead's facts in the form of `sc2_dump.of_sc2reader`."""
    playing = [player for player in replay.players if player.player is not None]
    teams: dict[int | None, list[str | None]] = defaultdict(list)
    for player in playing:
        teams[player.team].append(player.name)
    commands = replay.table("commands").to_pylist()
    units = replay.table("units").to_pylist()
    stats = replay.table("player_series", columns=["player", "minerals"]).to_pylist()
    died = [unit for unit in units if unit["end_tick"] is not None]
    chat = replay.table("chat").to_pylist()
    return {
        "players": [(each.name, each.character, each.details.get("recorded_result") or "") for each in playing],
        "observers": [each.name for each in replay.players if each.player is None],
        "teams": [sorted(team, key=str) for team in teams.values()],
        "chat": [(row["name"], row["text"]) for row in chat if row.get("name")],
        "orders": [row["kind"] for row in commands if row["kind"] == "command_given"],
        "updates": [row["kind"] for row in commands if row["kind"].startswith("command_repeated_")],
        "repeated orders": [row["kind"] for row in commands if row["kind"] == "command_repeated"],
        "names of abilities": [
            row["ability"] for row in commands if row["ability"] and row["kind"] == "command_given"
        ],
        "units": [(unit["first_player"], unit["first_unit_type"]) for unit in units],
        "deaths": [(unit["unit_index"], unit["attacker_player"]) for unit in died],
        "upgrades": [(row["player"], row["upgrade"]) for row in replay.table("upgrades").to_pylist()],
        "statistics": [(row["player"], row["minerals"]) for row in stats],
    }


def from_sc2reader(given: Mapping[str, Any]) -> Facts:
    """Return the same of a dump."""
    orders = sum(given["orders"].values())
    return {
        # It does not translate every language.
        "players": [(name, english_race(race), result) for name, race, result in given["players"]],
        "observers": given["observers"],
        "teams": [sorted(team, key=str) for team in given["teams"]],
        "chat": given["chat"],
        "orders": ["command"] * orders,
        "updates": ["update"] * given["updates"],
        "repeated orders": [],
        "names of abilities": [name for *_, name in given["abilities"] if name not in UNNAMED],
        "units": given["born"],
        "deaths": given["died"],
        "upgrades": given["upgrades"],
        "statistics": given["statistics"],
    }


def bare(name: str | None) -> str:
    """Return a name in the spelling that both readers can have; empty if unknown."""
    name = name or ""
    return RENAMED.get(name.replace(" ", ""), name.replace(" ", ""))


def step_name(name: str) -> str:
    """Return the name of a step of spawningtool, which has names of the display and of the game data."""
    return bare(display_name(bare(name.partition(" (")[0])))


def pairs_of(
    replay: Sc2Replay, given: Mapping[str, Any]
) -> Iterator[tuple[Mapping[str, Any] | None, tuple[int, str, int] | None]]:
    """Yield our row and the peer's player, name and loop of each step of the build orders, None for none; ours
    without sprays and skins, and those that failed only if the peer has them."""
    rows = replay.table("build_order").to_pylist()
    for number, steps in given["built"].items():
        ours, theirs = defaultdict(list), defaultdict(list)
        for row in rows:
            if row["player"] == int(number) and (row["outcome"] == "finished" or row["known_by"] == "init"):
                # It has the research of Warp Gates, but no change into one.
                name = bare(display_name(row["product"]))
                ours["a morph" if name == "WarpGate" and row["kind"] == "morph" else name].append(row)
        for name, loop in steps:
            theirs[step_name(name)].append(loop)
        for name in {**ours, **theirs}:
            yield from (
                (row, None if loop is None else (int(number), name, loop))
                for row, loop in nearest(ours[name], theirs[name])
                if loop is not None or row is None or row["outcome"] == "finished"
            )


def nearest(
    rows: Sequence[Mapping[str, Any]], loops: Sequence[int]
) -> Iterator[tuple[Mapping[str, Any] | None, int | None]]:
    """Yield pairs of rows and loops, and what is left of both: in order if there are as many, else the nearest
    first."""
    if len(rows) == len(loops):
        yield from zip(sorted(rows, key=lambda row: row["tick"]), sorted(loops), strict=True)
        return
    near = sorted(
        (abs(row["tick"] - loop), place, number)
        for place, row in enumerate(rows)
        for number, loop in enumerate(loops)
    )
    paired: dict[int, int] = {}
    taken: set[int] = set()
    for _, place, number in near:
        if place not in paired and number not in taken:
            paired[place] = number
            taken.add(number)
    yield from ((row, loops[paired[place]] if place in paired else None) for place, row in enumerate(rows))
    yield from ((None, loop) for number, loop in enumerate(loops) if number not in taken)


def outcome_of(row: Mapping[str, Any] | None, theirs: tuple[int, str, int] | None) -> str:
    """Return the outcome of a pair of steps."""
    if row is None or theirs is None:
        return "only theirs" if row is None else "only ours"
    return "equal" if abs(row["tick"] - theirs[2]) <= NEAR else "different"


def steps_of(replay: Sc2Replay, given: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield the source of our start and the outcome of each step of the build orders."""
    for row, theirs in pairs_of(replay, given):
        yield "no step" if row is None else row["known_by"], outcome_of(row, theirs)


def supplies_of(replay: Sc2Replay, given: Mapping[str, Any]) -> tuple[list[Any], list[Any]]:
    """Return player, loop and supply in use of each sample, of playhead and of spawningtool."""
    numbers = set(map(int, given["supply"]))
    rows = replay.table("player_series").to_pylist()
    mine = [(row["player"], row["tick"], int(row["supply"])) for row in rows if row["player"] in numbers]
    theirs = [
        (int(number), loop, int(used)) for number, rows in given["supply"].items() for loop, used in rows if loop
    ]
    return mine, theirs


def losses_of(replay: Sc2Replay, given: Mapping[str, Any]) -> tuple[list[Any], list[Any]]:
    """Return name, loop and killer of each lost unit, of playhead and of spawningtool."""
    numbers = set(map(int, given["lost"]))
    mine = [
        (bare(unit["unit_type"]), unit["end_tick"], unit["attacker_player"])
        for unit in replay.table("units").to_pylist()
        if unit["player"] in numbers and unit["end_tick"] is not None
    ]
    theirs = [(bare(name), loop, killer) for rows in given["lost"].values() for name, loop, killer in rows]
    named = {name for name, *_ in theirs if name}  # spawningtool has no name for some units of missions
    return [each for each in mine if each[0] in named and each[2]], [
        each for each in theirs if each[0] and each[2]
    ]


def compared(mine: Iterable[Any], theirs: Iterable[Any]) -> Counter[str]:
    """Count equal and other values of two multisets; values left on both sides are different ones."""
    ours, others = Counter(map(plain, mine)), Counter(map(plain, theirs))
    left, right = (ours - others).total(), (others - ours).total()
    both = min(left, right)
    found = {"equal": (ours & others).total(), "different": both, "only ours": left - both}
    return Counter({**found, "only theirs": right - both})


def kinds_of(replay: Sc2Replay, dump: Mapping[str, Any]) -> Iterator[tuple[str, str, Counter[str]]]:
    """Yield peer, kind and counts of one replay."""
    for peer in ("sc2reader", "spawningtool"):
        if "error" in dump[peer]:
            yield peer, "replays", Counter({"only ours": 1})
            continue
        yield peer, "replays", Counter({"equal": 1})
        if peer == "sc2reader":
            mine, theirs = for_sc2reader(replay), from_sc2reader(dump[peer])
            for kind, values in mine.items():
                if kind == "names of abilities" and (
                    replay.recording.ability_names is None or replay.recording.ability_names.modded
                ):
                    continue  # on maps with data of their own, only the peer guesses
                plain_kind = kind in ("orders", "updates", "repeated orders")
                yield (
                    peer,
                    kind,
                    compared(
                        ["x" for _ in values] if plain_kind else values,
                        ["x" for _ in theirs[kind]] if plain_kind else theirs[kind],
                    ),
                )
            continue
        steps = list(steps_of(replay, dump[peer]))
        yield peer, "starts", Counter(outcome for _, outcome in steps)
        for source in sorted({source for source, _ in steps}):
            yield peer, f"starts: {source}", Counter(outcome for each, outcome in steps if each == source)
        yield peer, "supply", compared(*supplies_of(replay, dump[peer]))
        yield peer, "losses", compared(*losses_of(replay, dump[peer]))


def reasons_of(replay: Sc2Replay, dump: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
    """Yield peer, kind and reason of each difference that a rule explains or that none does."""
    proofs = Proofs(replay, Path(dump["file"]))
    if "error" not in dump["sc2reader"]:
        theirs = dump["sc2reader"]
        names = replay.recording.ability_names
        if names is not None and not names.modded:
            for loop, link, index, ours, other in named_differences(replay, theirs["abilities"], UNNAMED):
                reason = proofs.name(loop, link, index, ours, other)
                yield (
                    "sc2reader",
                    "names of abilities",
                    reason or f"NOT EXPLAINED: {link} at {loop}, {ours}, {other}",
                )
        mine = Counter(map(plain, for_sc2reader(replay)["deaths"]))
        for index, _ in (Counter(map(plain, theirs["died"])) - mine).elements():
            yield "sc2reader", "deaths", proofs.death(index) or f"NOT EXPLAINED: unit index {index}"
        yield from about_people(replay, theirs, proofs)
    if "error" not in dump["spawningtool"]:
        yield from about_losses(replay, dump["spawningtool"], proofs)
        yield from about_supply(replay, dump["spawningtool"], proofs)
        built = dump["spawningtool"]["built"]
        listed = {step_name(name) for steps in built.values() for name, _ in steps}
        begun = {(int(number), round(loop)) for number, steps in built.items() for _, loop in steps}
        for row, theirs in pairs_of(replay, dump["spawningtool"]):
            outcome = outcome_of(row, theirs)
            if outcome != "equal":
                reason = proofs.start(row, theirs, bare, listed, begun)
                missing = f"NOT EXPLAINED: {theirs}, {row and (row['product'], row['tick'], row['end_tick'])}"
                yield "spawningtool", "starts", f"{outcome}, {reason or missing}"


def about_people(replay: Sc2Replay, theirs: Mapping[str, Any], proofs: Proofs) -> Iterator[tuple[str, str, str]]:
    """Yield the reasons of other players, teams and statistics."""
    ours, others = for_sc2reader(replay), from_sc2reader(theirs)
    for kind in ("players", "teams"):
        mine, them = (Counter(map(plain, facts[kind])) for facts in (ours, others))
        for each in (mine - them).elements():
            flat = str(each)
            if "None" in flat and str(plain(each)).replace("None", "''") in map(str, them):
                yield "sc2reader", kind, "no name is null here, an empty text there"
            elif kind == "teams" and sorted(map(str, sum(mine, ()))) == sorted(map(str, sum(them, ()))):
                yield (
                    "sc2reader",
                    kind,
                    "the same players; teams by the lobby's numbers here, missions' allies apart there",
                )
            elif {name for name, *_ in mine} == {name for name, *_ in them}:
                yield "sc2reader", kind, "the same players and results, names in another order (archon mode)"
            else:
                yield "sc2reader", kind, f"NOT EXPLAINED: {each}"
    mine, them = (Counter(map(plain, facts["statistics"])) for facts in (ours, others))
    for player, _ in (them - mine).elements():
        yield "sc2reader", "statistics", proofs.sample("sc2reader", player) or f"NOT EXPLAINED: player {player}"


def about_supply(replay: Sc2Replay, theirs: Mapping[str, Any], proofs: Proofs) -> Iterator[tuple[str, str, str]]:
    """Yield the reasons of other samples of supply."""
    mine, them = (Counter(map(plain, side)) for side in supplies_of(replay, theirs))
    start, kind = replay.recording.start_tick, ("spawningtool", "supply")
    ours = mine - them
    for player, loop, used in (them - mine).elements():
        if start and any(
            ours[player, moved, used] for moved in (loop + start, loop + start - 1, loop + start + 1)
        ):
            yield *kind, "loops from the start of a late game (GameHeart)"
        else:
            reason = proofs.sample("spawningtool", player)
            late = "a late game (GameHeart): samples before its start" if start and reason is None else None
            yield *kind, reason or late or f"NOT EXPLAINED: player {player} at {loop}"
    if not start:
        for each in ours.elements():
            yield *kind, f"NOT EXPLAINED: ours {each}"


def about_losses(replay: Sc2Replay, theirs: Mapping[str, Any], proofs: Proofs) -> Iterator[tuple[str, str, str]]:
    """Yield the reasons of other lost units."""
    mine, them = (Counter(map(plain, side)) for side in losses_of(replay, theirs))
    start = replay.recording.start_tick
    for name, loop, killer in (them - mine).elements():
        if start and (name, loop + start, killer) in mine:
            reason: str | None = "loops from the start of a late game (GameHeart)"
        else:
            reason = proofs.loss(name, loop, killer, bare)
        yield "spawningtool", "losses", reason or f"NOT EXPLAINED: {name} at {loop} by {killer}"
    unnamed = Counter(
        (loop, killer) for rows in theirs["lost"].values() for name, loop, killer in rows if not name
    )
    for name, loop, killer in (mine - them).elements():
        if start and (name, loop - start, killer) in them:
            continue
        if unnamed[loop, killer]:
            yield "spawningtool", "losses", "a unit without a name there"
        else:
            yield "spawningtool", "losses", f"NOT EXPLAINED: our {name} at {loop} by {killer}"


def main() -> None:
    """Run the peers, compare, and print a row for each kind."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--python", default="python", help="interpreter that has sc2reader and spawningtool")
    parser.add_argument("--dump", type=Path, help="file to keep the facts of the peers in, or to read them from")
    parser.add_argument("--verbose", action="store_true")
    chosen = parser.parse_args()
    files = sorted(path for path in chosen.folder.rglob("*") if path.suffix.lower() == ".sc2replay")
    totals: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    reasons: Counter[tuple[str, str, str]] = Counter()
    if chosen.dump is not None and chosen.dump.is_file():
        dumped = chosen.dump.read_text(encoding="utf-8")
    else:
        dumped = subprocess.run(
            [chosen.python, DUMP, *files], stdout=subprocess.PIPE, text=True, check=True
        ).stdout
        if chosen.dump is not None:
            chosen.dump.write_text(dumped, encoding="utf-8")
    for line in dumped.splitlines():
        dump = json.loads(line)
        replay = playhead.open(dump["file"])
        assert isinstance(replay, Sc2Replay)
        if replay.recording.container.archive is None:
            continue
        for reason in reasons_of(replay, dump):
            reasons[reason] += 1
            if chosen.verbose and "NOT EXPLAINED" in reason[2]:
                print(dump["file"], *reason)
        for peer, kind, counts in kinds_of(replay, dump):
            totals[peer, kind] += counts
            if (
                chosen.verbose
                and sum(counts.values()) > counts["equal"]
                and not kind.startswith(("replays", "starts"))
            ):
                print(dump["file"], peer, kind, dict(counts))
    outcomes = ("equal", "different", "only ours", "only theirs")
    print(f"{'peer':<13}{'kind':<30}" + "".join(f"{outcome:>12}" for outcome in outcomes))
    for (peer, kind), counts in totals.items():
        print(f"{peer:<13}{kind:<30}" + "".join(f"{counts[outcome]:>12,}" for outcome in outcomes))

    for (peer, kind, why), count in sorted(reasons.items()):
        print(f"{peer:<13}{kind:<22}{count:>6,}  {why}")


if __name__ == "__main__":
    main()
