"""Rebuild the data of a game for a new build of it, step by step: docs/new-build.md.

    python tools/build_game.py sc2|hots|source2 [FILE|DIR ...]    # make sc2-build FILE…

Each step runs a tool. A step whose package or folder is missing is named and skipped; the status is 1 if a step
failed. FILE|DIR are recordings of the new build: tools that learn from recordings keep all that they knew before.

BALANCE, an environment variable, is the folder ``assets/BalanceData`` of the crate s2protocol; DOTACONSTANTS is
the unpacked npm package of that name.
"""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

TOOLS = Path(__file__).parent


@dataclass(frozen=True)
class Step:
    """A step of a build.

    Attributes:
        title: its result.
        command: arguments of Python; FILES stands for the recordings, SC2READER for that package's data.
        packages: what it imports beside playhead.
        folder: the environment variable with a folder that it reads, if any.
    """

    title: str
    command: tuple[str, ...]
    packages: tuple[str, ...] = ()
    folder: str = ""

    def missing(self, files: Sequence[str]) -> str:
        """Return the reason to skip the step; empty without one."""
        if "FILES" in self.command and not files:
            return "no recordings were named"
        absent = [name for name in self.packages if importlib.util.find_spec(name) is None]
        if absent:
            return f"needs {', '.join(absent)}"
        if self.folder and not os.path.isdir(os.environ.get(self.folder, "")):
            return f"needs the folder {self.folder}"
        return ""

    def arguments(self, files: Sequence[str]) -> Iterator[str]:
        """Yield the command with its words replaced."""
        for word in self.command:
            if word == "FILES":
                yield from files
            elif word == "SC2READER":
                spec = importlib.util.find_spec("sc2reader")
                yield str(Path(spec.origin).parent / "data") if spec and spec.origin else ""
            elif word == self.folder:
                yield os.environ[word]
            else:
                yield str(TOOLS / word) if word.endswith(".py") else word


_VERIFY = Step("every byte of the recordings", ("-m", "playhead", "verify", "FILES"))
STEPS: dict[str, tuple[Step, ...]] = {
    "sc2": (
        Step("type tables of events", ("build_blizzard_protocols.py", "sc2"), ("s2protocol",)),
        Step(
            "lists of abilities and unit types",
            ("build_sc2_names.py", "SC2READER", "BALANCE"),
            ("sc2reader",),
            "BALANCE",
        ),
        Step("names of attributes", ("build_sc2_attributes.py",), ("sc2reader",)),
        Step("build times, supply and products", ("build_sc2_production.py",), ("spawningtool", "sc2reader")),
        Step(
            "names, classes and costs of units",
            ("build_sc2_unit_types.py", "BALANCE"),
            ("spawningtool", "sc2reader"),
            "BALANCE",
        ),
        Step("links of unit types", ("learn_sc2_unit_links.py", "FILES")),
        Step("links of abilities", ("learn_sc2_ability_links.py", "FILES")),
        Step("names of ladder maps", ("build_sc2_map_names.py", "FILES", "--ladder")),
        _VERIFY,
        Step("supply, against the game's samples", ("compare_sc2_production.py", "--supply", "FILES")),
    ),
    "hots": (
        Step("type tables of events", ("build_blizzard_protocols.py", "hots"), ("heroprotocol",)),
        _VERIFY,
    ),
    "source2": (
        Step("numbers and fields of messages", ("build_source2_messages.py",), ("gem",)),
        Step("lists of game events", ("build_event_lists.py", "FILES")),
        Step("titles of Dota 2", ("build_dota2_titles.py", "DOTACONSTANTS"), (), "DOTACONSTANTS"),
        _VERIFY,
    ),
}


def main(game: str, *files: str) -> int:
    """Run the steps of a game; return the exit status."""
    failed = 0
    for number, step in enumerate(STEPS[game], 1):
        title = f"{number}/{len(STEPS[game])} {step.title}"
        reason = step.missing(files)
        if reason:
            print(f"{title}: skipped, {reason}", flush=True)
            continue
        print(f"{title}: {' '.join(word for word in step.command if word not in ('-m', 'FILES'))}", flush=True)
        status = subprocess.run([sys.executable, *step.arguments(files)], check=False).returncode
        if status:
            print(f"{title}: failed with status {status}", flush=True)
            failed = 1
    return failed


if __name__ == "__main__":
    if len(sys.argv) < 2 or sys.argv[1] not in STEPS:
        raise SystemExit(__doc__)
    raise SystemExit(main(*sys.argv[1:]))
