"""`Library`: the replays and lakes that an agent may read, by name; the last few replays stay open."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from playhead.ask import Chosen
from playhead.corpus.delta import is_lake
from playhead.corpus.reading.lake import Lake, open_lake
from playhead.errors import ReplayError
from playhead.events import WILDCARDS
from playhead.io.inputs import InputFile, check_exists
from playhead.runtime.bounded import in_words
from playhead.text.names import ordered_matchup, unknown_name
from playhead.view.match import Match
from playhead.web.shelf import Shelf

#: Names and patterns of replays in one call.
PATTERNS = 1000
#: Kinds of people in a recording who do not play.
NO_PLAYERS = ("observer", "referee")
#: The tools for lakes.
OF_LAKE = "query, describe_tables, check_replay or player_stats"
#: Bytes of the replays of one question.
BYTES = 2 << 30
#: A day, or the month or year of one, with a time or not.
_DAY = re.compile(r"\d{4}(-\d\d){0,2}(?![\d/.-])")
#: What to do about too many of them.
NARROW = (
    "ask for fewer replays by name, game, player, map, matchup, after or before; or the user may make a lake of "
    "them with `playhead export`, which is asked whole"
)


class Library:
    """The replays of folders, patterns, packs or files, by the names in `names`, and lakes, by those in `lakes`.
    Only these can be read.

    Args:
        inputs: as for ``playhead view``, and folders or URLs of lakes.

    Raises:
        FileNotFoundError: an input does not exist.
    """

    def __init__(self, inputs: Iterable[str]) -> None:
        named = [os.fspath(each) for each in inputs]
        for each in named:
            check_exists(each)
        #: Path or URL of each lake by its name: the last part.
        self.lakes = {Path(each).name or each: each for each in named if is_lake(each)}
        self.inputs = [each for each in named if each not in self.lakes.values()]
        self._show(Shelf(self.inputs))

    @property
    def paths(self) -> list[str]:
        """Path or URL of each replay."""
        return [file.path for file in self._shelf.files]

    def _show(self, shelf: Shelf) -> None:
        self._shelf = shelf
        #: Number of each replay by its name: its path below the named folder.
        self.names = _names(self.paths, [Path(each) for each in self.inputs if Path(each).is_dir()])
        self._facts: dict[str, dict[str, Any]] = {}

    def refresh(self) -> None:
        """List the folders again."""
        shelf = Shelf(self.inputs)
        if shelf.files != self._shelf.files:
            self._show(shelf)

    def match(self, name: str) -> Match:
        """Return a replay by its name; open it if necessary.

        Raises:
            KeyError: there is no such replay; the message suggests similar names.
            ReplayError, OSError: it cannot be read.
        """
        return self._shelf.match(self._number(name))

    def file(self, name: str) -> InputFile:
        """Return the file of a replay by its name; errors as of `match`."""
        return self._shelf.files[self._number(name)]

    def lake(self, names: Sequence[str]) -> str | None:
        """Return the path of the lake that is meant by names of replays: its own name, or anything that fits all
        replays where there is one lake and nothing else. None if replays are meant.

        Raises:
            KeyError: a lake is named beside something else.
        """
        found = [self.lakes[name] for name in names if name in self.lakes]
        if not found and len(self.lakes) == 1 and not self.names and [*names] in ([], ["*"]):
            return next(iter(self.lakes.values()))
        if found and len(names) > 1:
            raise KeyError("a lake is asked by itself: name one lake, or only replays")
        return found[0] if found else None

    def facts_of_lakes(self) -> list[dict[str, Any]]:
        """Return the contents of each lake."""
        return [{"lake": name, **_facts_of(open_lake(path))} for name, path in self.lakes.items()]

    def damaged(self, found: Mapping[str, Any], chosen: Chosen) -> dict[str, Any]:
        """Return the ``damaged`` replays of an answer; those of a lake by file and replay."""
        if chosen.lake is None or "damaged" not in found:
            return {name: found[name] for name in found if name == "damaged"}
        files = dict(
            zip(*open_lake(chosen.lake).inputs.select(["replay", "file"]).to_pydict().values(), strict=True)
        )
        return {
            "damaged": {
                f"{Path(files[name]).name} ({name})" if name in files else name: count
                for name, count in found["damaged"].items()
            }
        }

    def choose(self, names: Iterable[str]) -> list[str]:
        """Return the names of replays by names and patterns (``*``, ``sc2/*``), each once.

        Raises:
            KeyError: there is no such replay.
            ValueError: there are more than `PATTERNS` names and patterns.
        """
        found: dict[str, None] = {}
        asked = [*names]
        if len(asked) > PATTERNS:
            raise ValueError(f"expected at most {PATTERNS} names and patterns of replays, got {len(asked)}")
        for name in asked:
            some = [name] if name in self.names or not WILDCARDS & set(name) else self.fitting(name)
            if not some:
                raise KeyError(f"no replay {name!r}; list_replays has the names")
            for each in some:
                self._number(each)
                found[each] = None
        return list(found)

    def fitting(self, pattern: str) -> list[str]:
        """Return the names that fit a pattern, case aside; without wildcards, those that contain it."""
        wanted = (pattern if WILDCARDS & set(pattern) else f"*{pattern}*").lower()
        return [name for name in self.names if fnmatchcase(name.lower(), wanted)]

    def filter(self, names: Iterable[str], wanted: Mapping[str, str]) -> tuple[list[str], dict[str, int]]:
        """Return the names of the replays that fit all conditions of `list_replays`, and as ``undated`` how many
        only lack the time that a condition asks for."""
        if not any(wanted.values()):
            return [*names], {}
        for each in ("after", "before"):
            if (day := wanted.get(each)) and not _DAY.match(day):
                raise ValueError(f'expected a day such as "2026-05-01" for {each}, got {day!r}')
        facts = [self.facts(name) for name in names]
        whenever = {**wanted, "after": "", "before": ""}
        undated = sum(not each.get("played_at") and _fits(each, whenever) for each in facts)
        dated = wanted.get("after") or wanted.get("before")
        found = [each["replay"] for each in facts if _fits(each, wanted)]
        return found, {"undated": undated} if dated and undated else {}

    def asked(
        self, names: Sequence[str], wanted: Mapping[str, str], of_lake: Collection[str] = ()
    ) -> tuple[Chosen, dict[str, Any]]:
        """Return the lake or the replays that are asked together, and what is left out: the ``unreadable`` ones of
        several, and the number of ``undated`` ones.

        Args:
            of_lake: conditions that a lake can be asked with.

        Raises:
            KeyError: as of `lake` and `choose`.
            ValueError: the replays have too many bytes, no replay can be read, a condition has no day, or a lake
                has no such condition.
        """
        lake = self.lake(names)
        if lake is not None:
            if more := [name for name, value in wanted.items() if value and name not in of_lake]:
                raise ValueError(f"a lake is asked whole, without {', '.join(more)}: use WHERE of query")
            return Chosen(lake=lake), {}
        every = self.choose(names)
        chosen, left_out = self.filter(every, wanted)
        if not chosen and every:
            self._check_words(every, wanted)
        size = sum(self.file(name).size or 0 for name in chosen)
        if size > BYTES:
            raise ValueError(f"{len(chosen)} replays have {in_words(size)}, more than {in_words(BYTES)}; {NARROW}")
        broken = [name for name in chosen if "error" in self.facts(name)] if len(chosen) > 1 else []
        if not (readable := [name for name in chosen if name not in broken]):
            why = f" ({left_out['undated']} have no known date)" if left_out else ""
            raise ValueError(f"no readable replay of {len(chosen)} is meant{why}; list_replays says what there is")
        paths = tuple(self.file(name).path for name in readable)
        return Chosen(paths, tuple(readable)), {**left_out, **({"unreadable": broken} if broken else {})}

    def _check_words(self, names: Sequence[str], wanted: Mapping[str, str]) -> None:
        """Refuse a condition that no replay fits by itself.

        Raises:
            KeyError: there is one; the message has what there is.
        """
        facts = [self.facts(name) for name in names]
        for name in ("game", "map", "player", "matchup"):
            if (asked := wanted.get(name)) and not any(_fits(each, {name: asked}) for each in facts):
                known = [each.get(name) for each in facts]
                if name == "player":
                    known = [player for each in facts for player in each.get("players", ())]
                raise KeyError(unknown_name(asked, filter(None, known), name))

    def _number(self, name: str) -> int:
        if name in self.lakes:
            raise KeyError(f"{name} is a lake: use {OF_LAKE}")
        if name not in self.names:
            raise KeyError(unknown_name(name, [*self.names, *self.lakes], "replay"))
        return self.names[name]

    def facts(self, name: str) -> dict[str, Any]:
        """Return the facts that identify a replay, or the reason that it cannot be read."""
        if name not in self._facts:
            try:
                replay = self.match(name).moments
                info = replay.info  # some names of players take a pass already: the winner comes with it
                self._facts[name] = {
                    "replay": name,
                    "format": info.format,
                    "game": info.game,
                    "map": info.map,
                    "played_at": info.played_at and info.played_at.isoformat(),
                    "played_at_is": info.played_at_is,
                    "duration_seconds": info.duration_seconds,
                    "winner": replay.presentation.winner(info),
                    "players": [each.name for each in replay.players[:64] if each.kind not in NO_PLAYERS],
                    **({"matchup": info.details["matchup"]} if info.details.get("matchup") else {}),
                }
            except (ReplayError, OSError) as error:
                self._facts[name] = {"replay": name, "error": self.without_folders(str(error))}
        return self._facts[name]

    def without_folders(self, text: str) -> str:
        """Return a message with names of replays instead of paths: folders are nothing to a model."""
        paths = self.paths
        for name, number in self.names.items():
            text = text.replace(paths[number], name)
        return text

    def one_of(self, game: str, names: Sequence[str]) -> str:
        """Return the first of these replays that is of a game.

        Raises:
            KeyError: none of them is.
        """
        games = {self.facts(name).get("game"): name for name in reversed(names)}
        if game not in games:
            raise KeyError(unknown_name(game, [each for each in games if each], "game"))
        return games[game]


def _fits(facts: Mapping[str, Any], wanted: Mapping[str, str]) -> bool:
    """Return whether the facts of a replay fit conditions, case aside; an empty one fits everything."""
    for name, asked in wanted.items():
        low = asked.lower()
        played = str(facts.get("played_at") or "")
        if name == "player":
            fit = any(low in (each or "").lower() for each in facts.get("players", ()))
        elif name == "after":
            fit = not low or played >= low
        elif name == "before":
            fit = not low or "" < played < low
        else:
            known = str(facts.get(name) or "").lower()
            low = ordered_matchup(low) if name == "matchup" else low
            fit = low in known if name == "map" else low in ("", known)
        if not fit:
            return False
    return True


def _facts_of(lake: Lake) -> dict[str, Any]:
    games = Counter(game for game in lake.inputs["game"].to_pylist() if game)
    return {"replays": len(lake), "games": dict(games), "tables": list(lake.tables)}


def _names(paths: Sequence[str], folders: Sequence[Path]) -> dict[str, int]:
    """Return the number of each path by its name; the second of two equal names is the whole path."""
    found: dict[str, int] = {}
    second: dict[str, int] = {}
    for number, path in enumerate(paths):
        if found.setdefault(_short(Path(path), folders), number) != number:
            second[path] = number
    return found | second


def _short(path: Path, folders: Sequence[Path]) -> str:
    for folder in folders:
        if path.is_relative_to(folder) and path != folder:
            return path.relative_to(folder).as_posix()
    return path.name
