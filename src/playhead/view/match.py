"""`Match`: the answers to the page's requests about one recording, each JSON-ready or bytes."""

from __future__ import annotations

import gc
import json
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from playhead.errors import ReplayError
from playhead.export import to_bytes
from playhead.presentation.motion import HERO, Motion
from playhead.runtime.cached import cached_property
from playhead.runtime.records import replace
from playhead.text.json import to_json
from playhead.view.browse import table_page, within
from playhead.view.curves import curve, curve_list
from playhead.view.feed import event_rows, notable_kinds
from playhead.view.map import CELLS, effects, ground, heat, path, pictures, read_picture
from playhead.view.story import decided, notes, speakers, story_of

if TYPE_CHECKING:
    import pyarrow as pa

    from playhead.model import Moment, Player
    from playhead.presentation import PresentedReplay, Speaking
    from playhead.presentation.picture import MapPicture
    from playhead.tables.schema import TableSchema

Found = TypeVar("Found")

#: Limit of the cached stretches of one recording, in bytes.
CACHE_BYTES = 24 << 20
#: Limit of the cached answers of passes.
MOST_ANSWERS = 16
#: Answers that share their tables.
_COURSE = frozenset({"story", "speakers", "decided", "effects"})
#: Limit of the cached tables that the user opened earlier, in bytes.
TABLE_BYTES = 48 << 20
#: Most stretches of `Motion.doubts` that the page gets.
MOST_DOUBTS = 5_000
#: Stretches, from the first one on, in which `Match.opening` looks for the first player on the map.
SEARCHED = 6
#: Advance the players' state instead of seeking, up to this many seconds.
PLAYED_ON = 20.0
#: Seconds of a history before and after the tick.
HISTORY_SECONDS = 30.0


class MapFile(NamedTuple):
    """A map file or image file that the user names.

    Attributes:
        path: path of the file; None to look for none among the files of the games on this machine either.
        bounds: left, right, low and high of the picture in the recording's units; None if the file has them.
    """

    path: str | None
    bounds: tuple[float, float, float, float] | None = None


class Match:
    """One recording.

    It may have several readers, so that seeks need not wait for the passes over the whole recording.

    Attributes:
        moments: the reader that seeks.
        whole: the reader for tables that the user opens; it caches the tables.
        first_tick: the first tick: later than 0 in slices, joined broadcasts and clips.
        last_tick: the last tick.
    """

    def __init__(
        self,
        replay: PresentedReplay,
        map_file: MapFile | None = None,
        *,
        again: Callable[[], PresentedReplay] | None = None,
        compare: Callable[[PresentedReplay], Mapping[str, tuple[TableSchema, pa.Table]]] | None = None,
        said: Callable[[str], object] | None = None,
        most_picture: int | None = None,
        ticks: tuple[int, int] | None = None,
    ) -> None:
        """Show a recording that is open.

        Args:
            replay: the recording.
            map_file: the picture below the map; None to look for it among the files of the games on this machine.
            again: returns another reader of the recording; without it, seeks and passes share `replay`.
            compare: returns the game's tables that compare the players with those of another recording.
            said: is called with the file that became the ground.
            most_picture: the picture is shrunk to this number of bytes.
            ticks: where it begins and ends.

        Raises:
            ValueError: `ticks` are not a part of the recording.
        """
        self._map_file = map_file
        self._most_picture = most_picture
        self._again = again
        self._compare = compare
        self._said = said
        self.moments = self._on_map(replay)
        self.name = Path(replay.name).name
        self.first_tick = replay.first_tick
        self.last_tick = max(self.first_tick, replay.info.duration_ticks or 0)
        if ticks is not None:
            if not self.first_tick <= ticks[0] < ticks[1] <= self.last_tick:
                whole = f"{self.first_tick} to {self.last_tick}"
                raise ValueError(f"expected a part of the ticks {whole}, got {ticks[0]} to {ticks[1]}")
            self.first_tick, self.last_tick = ticks
        self._lock = threading.Lock()
        self._stretches: OrderedDict[tuple[int, int], bytes] = OrderedDict()
        self._held = 0
        self._passes = threading.Lock()
        self._tables = threading.Lock()
        self._reading: PresentedReplay | None = None
        self._answers: OrderedDict[Any, Any] = OrderedDict()
        self._moment: Moment | None = None
        self._opened: list[str] = []

    @cached_property
    def whole(self) -> PresentedReplay:
        return self.another()

    def another(self) -> PresentedReplay:
        """Return another reader of the recording, or without one `moments`."""
        return self.moments if self._again is None else self._on_map(self._again())

    def _on_map(self, replay: PresentedReplay) -> PresentedReplay:
        """Return a reader of the recording, which plays it again on the map that the user named if it can. Another
        map is ignored; `MapLook.files` refuses it too."""
        if self._map_file is not None and self._map_file.path is not None and "simulate" in replay.capabilities:
            with suppress(ReplayError, OSError, NotImplementedError):
                replay.use_map(self._map_file.path)
        return replay

    @cached_property
    def compared(self) -> Mapping[str, tuple[TableSchema, pa.Table]]:
        """The game's tables that compare the players with those of another recording, with their schemas; empty
        without one, and if the game cannot."""
        return {} if self._compare is None else self._compare(self.whole)

    def table(self, name: str, **page: Any) -> dict[str, Any]:
        """Return a page of rows of a table; see `table_page`."""
        made = self.compared[name][1] if name in self.compared else None
        found = table_page(self.whole, name, made=made, **page)
        self._forget((name,))
        return found

    def file(self, name: str, format: str, ticks: tuple[int, int] | None = None) -> bytes:
        """Return a table as a file, with `ticks` from the first to the last of them; see `as_file`."""
        table = self.compared[name][1] if name in self.compared else self.whole.table(name)
        data = to_bytes(within(table, ticks), format)
        self._forget((name,))
        return data

    def _forget(self, used: Iterable[str]) -> None:
        """Release the least recently used tables while all have more than `TABLE_BYTES`."""
        with self._tables:
            tables = self.whole.tables_so_far
            built = {name: tables.size(name) for name in list(tables)}  # a pass may add tables meanwhile
            last = [name for name in dict.fromkeys(used) if name in built]
            before = [name for name in self._opened if name in built and name not in last]
            others = [name for name in built if name not in before and name not in last]
            self._opened = [*others, *before, *last]
            held = sum(built.values())
            for name in (*others, *before):
                if held > TABLE_BYTES:
                    held -= built[name]
                    self.whole.forget_tables(name)

    def _answer(self, key: Any, make: Callable[[PresentedReplay], Found], *, last: bool = False) -> Found:
        """Return a cached answer, or make it in a pass over the recording; one pass runs at a time.

        With `last`, release the tables of the pass: they are large, and the answer is small. Those of
        `_COURSE` are released after the last of its answers.
        """
        with self._passes:
            if key not in self._answers:
                if self._again is None or "whole" in self.__dict__:
                    replay = self.whole
                else:
                    replay = self._reading = self._reading or self._on_map(self._again())
                self._answers[key] = make(replay)
                while len(self._answers) > MOST_ANSWERS:
                    self._answers.popitem(last=False)
                if last or self._answers.keys() >= _COURSE:
                    self._reading = None
            self._answers.move_to_end(key)
            found: Found = self._answers[key]
            return found

    @cached_property
    def motion(self) -> Motion:
        """The moving things of the recording."""
        make = self.moments.presentation.map.motion
        found = Motion(self.moments) if make is None or not self.has_map else make(self.moments)
        if self._map_file is not None and self._map_file.path is not None:
            found.use_map(self._map_file.path)
        return found

    @property
    def has_map(self) -> bool:
        """Whether the game has moving things for a map."""
        return self.moments.presentation.map.motion is not None and "moment" in self.moments.capabilities

    @property
    def rate(self) -> float:
        """Ticks per second; 1 if unknown."""
        return self.moments.info.ticks_per_second or 1.0

    @property
    def step(self) -> int:
        """Ticks between two samples."""
        return max(1, round(self.motion.step_seconds * self.rate))

    @property
    def stretch(self) -> int:
        """Ticks of a stretch: a whole number of steps."""
        return max(1, round(self.motion.stretch_seconds * self.rate / self.step)) * self.step

    @property
    def cached_bytes(self) -> int:
        """Size of the cached stretches."""
        return self._held

    def summary(self) -> dict[str, Any]:
        """Return the facts that the page needs first; most formats have them without a pass over the recording."""
        replay = self.moments
        info, shown = replay.info, replay.presentation
        return {
            "name": self.name,
            "format": replay.format,
            "game": info.game,
            "title": shown.title(info),
            "map": shown.map_name(info),
            "complete": info.complete,
            "winner": shown.winner(info),
            "started": info.played_at and info.played_at.isoformat(),
            "ended": info.end_time and info.end_time.isoformat(),
            "first_tick": self.first_tick,
            "last_tick": self.last_tick,
            "rate": self.rate,
            "rate_known": info.ticks_per_second is not None,
            "step": self.step,
            "stretch": self.stretch,
            "presentation": shown.as_dict(),
            "capabilities": sorted(replay.capabilities),
            "has_map": self.has_map,
            "jump_distance": self.motion.jump_distance,
            "sight_teams": list(self.motion.sight_teams),
            "players": [self._player(player) for player in replay.players],
            "notable": notable_kinds(replay),
            "kinds": dict(replay.event_kinds),
            "tables": [
                {"name": name, "doc": schema.doc, "columns": list(schema.column_names)}
                for name, schema in (
                    *((name, schema) for name, (schema, _) in self.compared.items()),
                    *replay.tables.items(),
                )
            ],
            "curves": curve_list(replay),
            "builds": shown.builds.label if shown.builds and shown.builds.table in replay.tables else None,
            "notes": [each.label for each in shown.notes if each.table in replay.tables],
        }

    def _player(self, player: Player) -> dict[str, Any]:
        keys = ("player", "name", "clan", "kind", "team", "side", "result")
        found, shown = {key: getattr(player, key) for key in keys}, self.moments.presentation
        return {**found, "character": shown.character(player), "colour": shown.stage.colour(player)}

    def clock(self) -> dict[str, Any]:
        """Return the game's clock as stretches; some games need a pass over the recording for it."""
        return self._answer("clock", _clock)

    def state(self, number: int) -> bytes:
        """Return the moving things of stretch `number`; see `Rows.to_bytes`."""
        first, last = self.first_tick // self.stretch, self.last_tick // self.stretch
        if not first <= number <= last:
            raise ValueError(f"expected a stretch from {first} to {last}, got {number}")
        key = start, end = self._ends(number)
        with self._lock:
            if key in self._stretches:
                self._stretches.move_to_end(key)
                return self._stretches[key]
            rows = self.motion.rows(start, end, self.step)
            data = rows.to_bytes(start, end, self.step)
            self._stretches[key] = data
            self._held += len(data)
            while self._held > CACHE_BYTES and len(self._stretches) > 1:
                self._held -= len(self._stretches.popitem(last=False)[1])
            return data

    def moment(self, tick: int) -> dict[str, Any]:
        """Return the players' state at a tick."""
        with self._lock:
            moment = self._moment_at(tick)
            wording = self.moments.presentation.wording
            shown = wording.shown
            kinds = [row for row in moment.unit_counts if wording.is_unit(row["unit_type"])][:200]
            is_army = self.moments.presentation.stage.is_army
            counts = [
                {name: shown(value) for name, value in row.items()} | {"army": is_army(row["unit_type"])}
                for row in kinds
            ]
            return {
                "tick": moment.tick,
                "displayed": moment.displayed,
                "facts": dict(moment.facts),
                "players": [{name: shown(value) for name, value in row.items()} for row in moment.players],
                "resources": {number: dict(held) for number, held in moment.resources.items()},
                "units": counts,
            }

    def _moment_at(self, tick: int) -> Moment:
        """Return the state at a tick: advance the previous state if possible and near, otherwise seek."""
        held, self._moment = self._moment, None
        on = getattr(held, "advance", None)
        near = held is not None and held.tick <= tick <= min(held.tick + PLAYED_ON * self.rate, self.last_tick)
        if held is not None and on is not None and near:
            on(tick - held.tick)
        else:
            if on is not None and self._again:  # a large state that refers to itself: two need twice the memory
                held = on = None
                gc.collect()
            held = self.moments.at(tick)
        self._moment = held
        return held

    def thing(self, tick: int, key: str) -> dict[str, Any]:
        """Return the fields of a thing at a tick, JSON-ready; `key` is its id in the directory of its `Motion`.

        Raises:
            KeyError: there is no such thing at that tick.
        """
        with self._lock:
            return {"tick": tick, "id": key, "fields": json.loads(to_json(dict(self.motion.fields(tick, key))))}

    def history(self, tick: int, key: str, name: str) -> dict[str, Any]:
        """Return the first value of a field around a tick, and its changes: tick, value and `why`.

        Raises:
            KeyError: there is no such thing at that tick, or it has no such field.
        """
        around = round(HISTORY_SECONDS * self.rate)
        start, end = max(0, tick - around), min(self.last_tick, tick + around)
        found: list[dict[str, Any]] = []
        with self._lock:
            if name not in self.motion.fields(tick, key):
                raise KeyError(f"no field {name!r} in {key}")
            for change in self.motion.values(start, end, key, name):
                if not found or found[-1]["value"] != change.value:
                    found.append({"tick": change.tick, "value": change.value, "why": change.why})
        return {"field": name, "start": start, "end": end, "changes": json.loads(to_json(found))}

    def events(self, kinds: tuple[str, ...]) -> dict[str, Any]:
        """Return events of these kinds; see `event_rows`."""
        return self._answer(kinds, lambda replay: event_rows(replay, kinds), last=True)

    def jumps(self) -> dict[str, list[int]]:
        """Return the ticks of the game's jumps by name, and those of one player as `Jumps.ticks` does."""
        found: dict[str, list[int]] = self.events(tuple(notable_kinds(self.moments)))["jumps"]
        return found

    def opening(self) -> dict[str, Any] | None:
        """Return tick and label of the moment to open on; None for the first tick."""
        found: dict[str, Any] | None = self.events(tuple(notable_kinds(self.moments)))["opening"]
        return found or self.first_seen()

    def first_seen(self) -> dict[str, Any] | None:
        """Return when the first player comes on the map; None at the first tick or after `SEARCHED` stretches."""
        begin = self.first_tick // self.stretch
        for number in range(begin, min(begin + SEARCHED, self.last_tick // self.stretch + 1)):
            with self._lock:
                rows = self.motion.rows(*self._ends(number), self.step)
            there = zip(rows.ticks, map(rows.directory.__getitem__, rows.things), rows.states, strict=True)
            if found := [(tick, hero) for tick, hero, state in there if state and hero["role"] == HERO]:
                tick, hero = min(found, key=lambda each: each[0])
                names = {each.player: f": {each.name}" for each in self.whole.players}
                name = names.get(hero.get("player"), "")
                return {"tick": tick, "label": f"the first player{name}"} if tick > self.first_tick else None
        return None

    def _ends(self, number: int) -> tuple[int, int]:
        """Return the first and the last tick of a stretch."""
        start = max(number * self.stretch, self.first_tick)
        return start, min((number + 1) * self.stretch, self.last_tick)

    def story(self) -> dict[str, Any]:
        """Return chapters, the lead of a side, and what the players made, as `story_of`, and who speaks."""
        found = self._answer("story", lambda replay: story_of(replay, voices=True))
        return {**found, "speakers": [each.name for each in self._speakers()]}

    def decided(self) -> dict[str, Any]:
        """Return what decided the match; see `decided`."""
        lead = self.story()["lead"]
        return self._answer("decided", lambda replay: decided(replay, lead))

    def notes(self) -> dict[str, list[list[Any]]]:
        """Return the lines of the game's panels; see `notes`."""
        return self._answer("notes", notes, last=True)

    def ground(self) -> dict[str, Any]:
        """Return the ground of the map, with the picture of a map file; see `playhead.view.map`."""
        with self._lock:
            fixed = list(self.motion.fixed())
        found: dict[str, Any] = self._answer("ground", lambda replay: ground(replay, fixed), last=True)
        picture, error = self._picture
        shown = found["picture"] if picture is None else self._shown(picture)
        seen = {} if self._map_file is not None and self._map_file.path is None else pictures(self.moments)
        return {**found, "picture": shown, "picture_error": error, "doubts": self._doubts, "pictures": seen}

    def _shown(self, picture: MapPicture) -> dict[str, Any]:
        """Return a picture for the page, which says its file; a report, which others get, only the name of it."""
        path = picture.file and (picture.file if self._most_picture is None else Path(picture.file).name)
        return {**picture.as_dict(), "source": ": ".join(filter(None, (picture.source, path)))}

    @cached_property
    def _doubts(self) -> list[tuple[int, int]]:
        """Stretches of ticks that `Motion.doubts` yields; seeks may come in between."""
        found: list[tuple[int, int]] = []
        steps = self.motion.doubts()
        while True:
            with self._lock:
                part = next(steps, None)
            if part is None:
                return found[:MOST_DOUBTS]
            found += part

    @cached_property
    def _picture(self) -> tuple[MapPicture | None, str | None]:
        """The picture of a map file, and the error that prevents it."""
        try:
            if self._map_file is None:
                found = self.moments.presentation.map.installed(self.moments)
                if found is not None and self._said is not None:
                    self._said(f"{self.name}: ground from {found.source}, {found.file}")
            elif self._map_file.path is None:
                found = None
            else:
                found = read_picture(self._map_file.path, self.moments, self._map_file.bounds)
                found = replace(found, source="the map that was named", file=self._map_file.path)
            if self._most_picture is not None and found is not None:
                found = found.shrunk(self._most_picture)
        except (ReplayError, OSError, ValueError, ImportError, NotImplementedError) as error:
            return None, str(error)
        return found, None

    def effects(self) -> list[list[Any]]:
        """Return what is on the map for a while; see `effects`."""
        return self._answer("effects", effects)

    def heat(self, player: int | None, ticks: tuple[int, int] | None = None) -> dict[str, Any]:
        """Return the number of positions by cell, of one player or all; see `heat`."""
        left, right, low, high = self.ground()["bounds"] or (0.0, 1.0, 0.0, 1.0)
        cell = max(right - left, high - low) / CELLS or 1.0  # everything may be in one place
        return self._answer(("heat", player, ticks), lambda replay: heat(replay, cell, player, ticks), last=True)

    def path(self, player: int) -> dict[str, Any]:
        """Return the path of a player; see `path`."""
        return self._answer(("path", player), lambda replay: path(replay, player), last=True)

    def voice(self, speaker: int) -> bytes:
        """Return what one of the speakers of `story` says, as Ogg Opus that begins and ends with the recording.

        Raises:
            KeyError: there is no such speaker.
            ModuleNotFoundError: PyAV is not installed (extra ``sound``).
        """
        found = self._speakers()
        if not 0 <= speaker < len(found):
            raise KeyError(f"no speaker {speaker}")
        return found[speaker].sound(self.moments.brief_info.duration_seconds or 0.0)

    def _speakers(self) -> Sequence[Speaking]:
        return self._answer("speakers", speakers)

    def curve(self, name: str) -> dict[str, Any]:
        """Return one of the curves that the summary lists."""
        return curve(self.whole, name)

    def problems(self) -> list[dict[str, Any]]:
        """Return all problems of the recording; this reads all of it."""
        return self._answer(
            "problems", lambda replay: [problem.as_dict() for problem in replay.problems], last=True
        )


def _clock(replay: PresentedReplay) -> dict[str, Any]:
    clock = replay.clock
    if clock is None:
        return {"label": None, "stretches": None, "countdowns": []}
    stretches = None if clock.stretches is None else [list(each) for each in clock.stretches]
    return {"label": clock.label, "stretches": stretches, "countdowns": [list(each) for each in clock.countdowns]}
