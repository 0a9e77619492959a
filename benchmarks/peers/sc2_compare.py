"""Compare playhead with sc2reader and spawningtool on a folder of StarCraft II replays, and count by kind.

    python -m venv peers && peers/bin/pip install sc2reader==1.9.0 spawningtool==3.0.0
    python benchmarks/peers/sc2_compare.py FOLDER --python peers/bin/python [--verbose]

Each kind of fact has the values that are equal, those that differ, and those of one side alone. Multisets are
compared, so an equal value is equal with all its parts: a lost unit with name, loop and killer. `--verbose` prints
the first differences of each file. docs/starcraft2.md has the counts of the corpus and the reasons.
"""

from __future__ import annotations

import argparse
import json
import subprocess
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import playhead
from playhead.sc2.abilities.unit_types import display_name
from playhead.sc2.members.races import english_race
from playhead.sc2.replay import Sc2Replay

DUMP = Path(__file__).with_name("sc2_dump.py")
#: spawningtool's loops of starts are the births less whole seconds, with other rules for boosts.
NEAR = 16
#: Names in spawningtool's lists by those of the game data.
RENAMED = {
    "BattleHellion": "HellionTank",
    "SwarmHost": "SwarmHostMP",
    "Lurker": "LurkerMP",
    "Hellbat": "HellionTank",
    "LurkerBurrowed": "LurkerMPBurrowed",
    "NydusWorm": "NydusCanal",
    "VikingFighter": "Viking",
    "VikingAssault": "Viking",
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
        "names of abilities": [each for each in Counter(given["abilities"]).elements() if each not in UNNAMED],
        "units": given["born"],
        "deaths": given["died"],
        "upgrades": given["upgrades"],
        "statistics": given["statistics"],
    }


def bare(name: str | None) -> str:
    """Return a name in the spelling that both readers can have; empty if unknown."""
    name = name or ""
    return RENAMED.get(name.replace(" ", ""), name.replace(" ", ""))


def steps_of(replay: Sc2Replay, given: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield the source of our start and the outcome of each step of the build orders; ours without sprays and
    skins, and those that failed only if the peer has them."""
    rows = replay.table("build_order").to_pylist()
    for number, theirs in given["built"].items():
        left = defaultdict(list)
        for row in rows:
            if row["player"] == int(number) and (row["outcome"] == "finished" or row["known_by"] == "init"):
                left[bare(display_name(row["product"]))].append(row)
        for name, loop in theirs:
            name = bare(name.partition(" (")[0])
            found = min(left.get(name, ()), key=lambda row: abs(row["tick"] - loop), default=None)
            if found is None:
                yield "no step", "only theirs"
                continue
            left[name].remove(found)
            yield found["known_by"], "equal" if abs(found["tick"] - loop) <= NEAR else "different"
        for rest in left.values():
            yield from ((row["known_by"], "only ours") for row in rest if row["outcome"] == "finished")


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


if __name__ == "__main__":
    main()
