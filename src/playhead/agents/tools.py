"""`Tools`: the functions that an agent calls. Each returns bounded JSON text, a picture or an address.

The docstrings are the descriptions that a language model reads.
"""

from __future__ import annotations

import io
import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import wraps
from inspect import Parameter, signature
from itertools import islice
from queue import Empty, Queue
from threading import Thread
from time import monotonic
from typing import Any, TypeAlias

from playhead.agents.answers import LETTERS, SHORT, bounded, shortened, shortened_rows, why_none
from playhead.agents.library import NARROW, Library
from playhead.ask import Chosen, Processes, statistics
from playhead.ask import sql as statement
from playhead.ask.questions import schemas_of
from playhead.corpus.reading.lake import open_lake
from playhead.errors import ReplayError
from playhead.events import Event, choose_kinds, choose_names, players_of
from playhead.presentation import PresentedReplay
from playhead.runtime.bounded import BoundExceeded
from playhead.runtime.extras import import_extra
from playhead.show.plots import PLOTS, Plots
from playhead.tables.schema import TableSchema
from playhead.text.json import to_json
from playhead.text.names import listed, unknown_name
from playhead.view.feed import notable_kinds, sentences
from playhead.web.shelf import Shelf
from playhead.web.viewer import serve_shelf

#: Limits of the replays of one page, and of rows of one answer.
PAGE, ROWS = 50, 1000
#: Bytes of the rows of a query, before the answer is cut to `LETTERS`.
ANSWER = 8 << 20
#: Numbers of statistics in an answer that names none.
FIRST_COLUMNS = 20
#: Replays whose games have documents among the resources.
LOOKED_AT = 100
#: Most tables that are described in full.
IN_FULL = 5
#: After so many seconds no other replay is checked.
CHECK_SECONDS = 60.0
_START_SECONDS = 20.0
_FIRST_SENTENCE = re.compile(r"(?<=[.;]) ")
_Tool: TypeAlias = Callable[..., Any]

#: The conditions on replays that several tools share, and their description.
CONDITIONS = ("game", "player", "map", "matchup", "after", "before")
_OF_CONDITIONS = """    game: dota2, cs2, deadlock, sc2, hots or ddnet.
            player: only replays with a player whose name contains this.
            map: only maps whose name contains this.
            matchup: StarCraft II: PvT or TvP, ZvZ …
            after: only those played on this day or later (`played_at`, in UTC): "2026-05-01". `undated` counts
                those left out because no day is known.
            before: only those played before this day.
        """


def narrowed(tool: _Tool) -> _Tool:
    """Give a tool a parameter for each of `CONDITIONS`; it gets them as one mapping, `wanted`."""
    own = signature(tool, eval_str=True)
    more = [Parameter(name, Parameter.KEYWORD_ONLY, default="", annotation=str) for name in CONDITIONS]

    @wraps(tool)
    def called(*values: Any, **named: Any) -> Any:
        wanted = {name: named.pop(name, "") for name in CONDITIONS}
        return tool(*values, **named, wanted=wanted)

    called.__doc__ = (tool.__doc__ or "") + _OF_CONDITIONS
    parameters = [each for each in own.parameters.values() if each.name != "wanted"]
    called.__signature__ = own.replace(parameters=[*parameters, *more])  # type: ignore[attr-defined]
    return called


#: Plots that can show one player.
_PLOTS_OF_PLAYERS = [
    name for name in PLOTS if name != "compare" and "player" in signature(getattr(Plots, name)).parameters
]


class Tools:
    """The tools over a library; one runs at a time.

    Args:
        library: the replays.
    """

    def __init__(self, library: Library) -> None:
        self._library = library
        self._address = ""
        self._shown: Shelf | None = None
        self._queries = Processes()

    @property
    def functions(self) -> tuple[Callable[..., Any], ...]:
        """Return the tools."""
        return (
            self.list_replays,
            self.describe_replay,
            self.describe_tables,
            self.query,
            self.player_stats,
            self.state_at,
            self.list_events,
            self.plot,
            self.viewer_link,
            self.check_replay,
        )

    @narrowed
    def list_replays(self, pattern: str = "*", offset: int = 0, *, wanted: Mapping[str, str]) -> str:
        """List the replays: name, game, map, time, length in seconds, winner, players, matchup.

        All conditions ignore case; without a match, the answer says what there is.

        Args:
            pattern: only names that fit, such as "*.SC2Replay"; without wildcards, names that contain it.
            offset: number of replays to skip; an answer has 50 at most.
        """
        self._library.refresh()
        names, left_out = self._library.filter(self._library.fitting(pattern), wanted)
        start = max(0, offset)
        shown = [self._library.facts(name) for name in names[start : start + PAGE]]
        facts: dict[str, Any] = {"total": len(names), "offset": start, **left_out}
        if self._library.lakes:
            facts["lakes"] = self._library.facts_of_lakes()
        if not names:
            facts["there_are"] = self._what_there_is()
        return bounded(facts, "replays", shown, SHORT)

    def _what_there_is(self) -> dict[str, Any]:
        """Return the games and maps of the first replays, with how many there are."""
        facts = [self._library.facts(name) for name in list(self._library.names)[:LOOKED_AT]]
        kinds = {key: Counter(str(each[key]) for each in facts if each.get(key)) for key in ("game", "map")}
        counts = {key: dict(some.most_common(20)) for key, some in kinds.items()}
        return {"replays": len(self._library.names), **counts}

    def describe_replay(self, replay: str) -> str:
        """Describe one replay: facts, players, clock, tables with their meaning, kinds of events, plots.

        Args:
            replay: name as in list_replays.
        """
        match = self._library.match(replay)
        found = match.moments
        clock = found.clock
        facts = {name: value for name, value in found.info.as_dict().items() if value is not None}
        facts["source"] = replay  # the machine's folders are nothing to a model
        return bounded(
            {
                "info": facts,
                "players": [player.as_dict() for player in found.players[:64]],
                "first_tick": match.first_tick,
                "last_tick": match.last_tick,
                "clock": None if clock is None else clock.label,
                "event_kinds": dict(found.event_kinds),
                "plots": {name.replace(" ", "_"): note for name, note in found.presentation.plots.items()},
                "problems_so_far": [problem.as_dict() for problem in found.problems_so_far[:20]],
            },
            "tables",
            [
                {"table": name, "doc": _FIRST_SENTENCE.split(schema.doc)[0]}
                for name, schema in found.tables.items()
            ],
        )

    def describe_tables(self, replay: str, tables: str | list[str] = "*") -> str:
        """Describe tables of a replay: each column's type, unit and meaning; of more than 5 tables, names only.

        Args:
            replay: name as in list_replays, or of a lake.
            tables: names or patterns of tables, such as "kills,*wards*": a list, or separated by commas.
        """
        if (lake := self._library.lake([replay])) is not None:
            return "\n\n".join(_documents(schemas_of(open_lake(lake)), tables))
        return "\n\n".join(_documents(self._library.match(replay).moments.tables, tables))

    @narrowed
    def query(
        self, sql: str, replays: str | list[str] = "*", limit: int = 100, *, wanted: Mapping[str, str]
    ) -> str:
        """Run one SELECT statement of DuckDB's SQL over the tables of replays; nothing else can be read.

        Every table has the column file (name as in list_replays): join tables of several USING (file, player).
        Times are `tick` and `seconds` of the recording; `game_seconds` is the clock that players see. Table
        players has the name of each player's number. It may run for 20 seconds. `damaged` names the replays that
        lack rows (of a lake the worst 50, by file and column replay), with the number of their problems;
        check_replay tells these.

        Args:
            sql: the statement; describe_replay lists tables, describe_tables columns.
            replays: one or several names as in list_replays, or patterns ("*"), of 2 GiB at most. Or the name of
                a lake, whose tables have all its replays: join USING (replay, player).
            limit: limit of the rows of the answer, 1000 at most; aggregate rather than ask for more.
        """
        limit = _limit(limit)
        chosen, left_out = self._library.asked(listed(replays), wanted)
        found = self._ask(statement, chosen, sql, limit + 1)
        if len(to_json(found["columns"])) > LETTERS // 2:
            raise ValueError("the names of the columns are too long: select fewer columns, or name them AS …")
        facts = {"columns": found["columns"], "more": found["total"] > limit, **left_out}
        facts |= self._library.damaged(found, chosen)
        return bounded(facts, "rows", found["rows"][:limit], None)

    def _ask(self, question: Callable[..., Any], chosen: Chosen, *values: Any) -> dict[str, Any]:
        """Return the answer to a question; several replays that take too long can be narrowed."""
        try:
            found: dict[str, Any] = json.loads(self._queries.ask(question, chosen, *values, answer=ANSWER))
        except BoundExceeded as error:
            raise ValueError(f"{error}; {NARROW}" if len(chosen.paths) > 1 else str(error)) from None
        return found

    @narrowed
    def player_stats(
        self,
        replays: str | list[str] = "*",
        by: str | list[str] = "player",
        per: str = "match",
        columns: str | list[str] = "",
        sort: str = "",
        least: int = 1,
        limit: int = 50,
        *,
        wanted: Mapping[str, str],
    ) -> str:
        """Return what players did over many matches: a row for each game and combination of values of `by`, with
        matches, wins, share of wins, and means of every number that the game counts.

        Args:
            replays: as for query: names or patterns, or a lake.
            by: player, map, version, day, week, month, team, side, half, character, opponent, matchup, opening,
                weapon, reason (StarCraft II: why players lost), or several of them; side and half of CS2 need
                game="cs2", and replays, not a lake.
            per: what counts are divided by: match, round (CS2), minute, total (nothing).
            columns: names or patterns of numbers, "kills,*damage*"; the first 20 by default, with the names of the
                others.
            sort: column by which the rows are sorted, from high to low; by matches by default.
            least: leave out rows of fewer matches.
            limit: limit of the rows, 1000 at most.
        """
        meant, left_out = self._library.asked(listed(replays), wanted, of_lake=("game",))
        game = wanted["game"] if meant.lake else None
        found = self._ask(statistics, meant, tuple(_words(by)), per, game or None, least)
        names = found["columns"]
        chosen = choose_names(_words(columns), names, "column") if columns else frozenset(names[:FIRST_COLUMNS])
        heads = {*_words(by), "game", "name", "matches", "wins", sort}
        places = [place for place, name in enumerate(names) if name in chosen or name in heads]
        facts = {
            "columns": [names[place] for place in places],
            **({} if columns else {"other_columns": [each for each in names if each not in chosen | heads]}),
            "total": found["total"],
            **left_out,
            **self._library.damaged(found, meant),
        }
        rows = found["rows"]
        if sort:
            if sort not in names:
                raise KeyError(unknown_name(sort, names, "column"))
            place = names.index(sort)
            rows.sort(key=lambda row: (row[place] is not None, row[place]), reverse=True)
        rows = [[row[place] for place in places] for row in rows[: _limit(limit)]]
        return bounded(facts, "rows", shortened_rows(rows), None)

    def state_at(self, replay: str, time: str, everything: bool = False) -> str:
        """Return the state at a moment: players (position, health, level …), resources, number of units by type.

        Args:
            replay: name as in list_replays.
            time: "12:30" or "-0:45" on the game's clock, of CS2 "R3 1:15", "R3 freeze 0:07", "R3 bomb 0:31" (after
                the plant) or "warmup 0:19"; "750s" seconds of the recording, "22500t" a tick.
            everything: also units of nobody, and values that are null.
        """
        match = self._library.match(replay)
        state = dict(match.moment(match.moments.tick_within(time)))
        units = state.pop("units")
        if not everything:
            state, units = shortened(state), [shortened(row) for row in units if row["player"] is not None]
        return bounded(state, "units", units)

    def list_events(
        self,
        replay: str,
        kinds: str | list[str] = "",
        start: str = "",
        end: str = "",
        player: str = "",
        limit: int = 100,
        fields: bool = False,
    ) -> str:
        """List events in order of time, a sentence each: "Ferris killed Partridge with Galil AR, headshot".

        Args:
            replay: name as in list_replays.
            kinds: kinds or patterns, "player_killed,ward_*": a list, or separated by commas; by default all but
                the bookkeeping of the game.
            start: first moment, as for state_at.
            end: last moment.
            player: only events of players whose name contains this, also as attacker, victim or assister.
            limit: limit of the events of the answer, 1000 at most.
            fields: also the player's number and all fields of each event.
        """
        found = self._library.match(replay).whole
        asked = _words(kinds)
        first = found.tick_within(start) if start else None
        last = found.tick_within(end) if end else None
        chosen = choose_kinds(asked or (found.event_kinds if fields else notable_kinds(found)), found.event_kinds)
        events = found.events(*chosen)
        if first is not None or last is not None:
            events = _between(events, first, last)
        if player:
            events = (each for each in events if _names(found, each, player.lower()))
        limit = _limit(limit)
        told = sentences(found, events, everything=bool(asked or fields))
        held = list(islice(told, limit + 1))
        clock, unit_of = found.clock, found.presentation.feed.unit_fields(found)
        rows = []
        for event, text in held[:limit]:
            row = {"tick": event.tick, "time": None if clock is None else clock.displayed(event.tick)}
            row |= {"kind": event.kind, "text": text}
            if fields:
                row |= {"player": event.player, **event.payload, **unit_of(event)}
            rows.append({name: value for name, value in row.items() if value is not None})
        names = [each.name for each in found.players if each.name]
        if player and not rows and not any(player.lower() in name.lower() for name in names):
            raise KeyError(unknown_name(player, names, "player"))
        why = {} if rows else {"why_none": why_none(found, chosen, {"start": start, "end": end, "player": player})}
        return bounded({"more": len(held) > limit, **why}, "events", rows)

    def plot(self, replay: str, kind: str, player: str = "") -> bytes:
        """Draw a plot as a PNG picture.

        Args:
            replay: name as in list_replays.
            kind: positions, kills, economy, advantage, activity, build_order (StarCraft II) or input_timing
                (teehistorian). A game without the data for it says which plots it has.
            player: name of the player to draw, for positions, kills, build_order and input_timing.
        """
        if kind not in PLOTS or kind == "compare":
            raise ValueError(unknown_name(kind, [each for each in PLOTS if each != "compare"], "plot"))
        if player and kind not in _PLOTS_OF_PLAYERS:
            raise ValueError(f"{kind} is not drawn for one player; {', '.join(_PLOTS_OF_PLAYERS)} are")
        import_extra("matplotlib", "plot", "plotting").use("agg")
        from matplotlib import pyplot

        draw = getattr(Plots(self._library.match(replay).whole), kind)
        figure = (draw(player) if player else draw()).figure
        try:
            file = io.BytesIO()
            figure.savefig(file, format="png", dpi=100)
            return file.getvalue()
        finally:
            pyplot.close(figure)

    def viewer_link(self, replay: str, time: str = "") -> str:
        """Return the address of the viewer (map, timeline, players) at a moment, for the browser of this machine.

        Args:
            replay: name as in list_replays.
            time: the moment, as for state_at; the start by default.
        """
        match = self._library.match(replay)
        tick = match.moments.tick_within(time) if time else match.first_tick
        path = self._library.paths[self._library.names[replay]]
        if self._shown is None:
            shelf = Shelf(self._library.paths)
            self._address = _start_viewer(shelf)
            self._shown = shelf
        return f"{self._address}#m={self._shown.number_of(path)}&t={tick}"

    def check_replay(self, replay: str | list[str]) -> str:
        """Read all of a replay; list damaged or unreadable parts, their place and what is lost.

        Args:
            replay: one or several names as in list_replays, or patterns ("*"); `unchecked` names those for which
                there was no time. Or the name of a lake, which has the first problems of each of its replays.
        """
        names = listed(replay)
        if (lake := self._library.lake(names)) is not None:
            asked = open_lake(lake)
            return bounded({"checked": len(asked)}, "problems", asked.problems.to_pylist())
        unchecked, rows, checked = self._library.choose(names), list[Any](), 0
        end = monotonic() + CHECK_SECONDS
        while unchecked and (not checked or monotonic() < end):
            name = unchecked.pop(0)
            checked += 1
            try:
                found = self._library.match(name).problems()
            except (ReplayError, OSError) as error:
                text = self._library.without_folders(str(error))
                found = [{"kind": type(error).__name__, "what": text, "cost": "everything"}]
            rows += [{"replay": name, **each} for each in found]
        facts = {"checked": checked, **({"unchecked": unchecked} if unchecked else {})}
        return bounded(facts, "problems", rows)

    def document(self, game: str, tables: str = "*") -> str:
        """Return the documentation of the tables of a game, from the first replay of it.

        Raises:
            KeyError: no replay is of this game, or has such a table.
        """
        names = list(self._library.names)[:LOOKED_AT]
        replay = self._library.match(self._library.one_of(game, names)).moments
        return "\n\n".join(_documents(replay.tables, tables, LETTERS * 10, len(replay.tables)))

    def games(self) -> list[str]:
        """Return the games of the first replays."""
        found = (self._library.facts(name).get("game") for name in list(self._library.names)[:LOOKED_AT])
        return sorted({*filter(None, found)})


def _between(events: Iterable[Event], first: int | None, last: int | None) -> Iterator[Event]:
    for event in events:
        if last is not None and event.tick > last:
            return
        if first is None or event.tick >= first:
            yield event


def _names(replay: PresentedReplay, event: Event, player: str) -> bool:
    """Return whether a player of an event has such a name."""
    numbers = (each for each in players_of(event) if isinstance(each, int))
    return any(player in (replay.name_of(each, event.tick) or "").lower() for each in numbers)


def _documents(
    schemas: Mapping[str, TableSchema], tables: str | list[str], letters: int = LETTERS, most: int = IN_FULL
) -> Iterator[str]:
    chosen, unknown = set[str](), dict[str, KeyError]()
    for pattern in _words(tables):
        try:
            chosen |= choose_names([pattern], schemas, "table")
        except KeyError as error:  # the others are described all the same
            unknown[pattern] = error
    if unknown and not chosen:
        raise next(iter(unknown.values()))
    if unknown:
        yield f"(no table fits {', '.join(unknown)[:SHORT]})"
    for name, schema in schemas.items():
        if name not in chosen:
            continue
        if len(chosen) > most:
            columns = ", ".join(f"{each.name} {each.type}" for each in schema.columns)
            text = f"# {name}\n{_FIRST_SENTENCE.split(schema.doc)[0]}\n{columns}"
        else:
            columns = "\n".join(
                f"- {each.name} ({each.type}{', ' + each.unit if each.unit else ''}): {each.doc}"
                for each in schema.columns
            )
            text = f"# {name}\n\n{schema.doc}\n\n{columns}"
        letters -= len(text) + 2  # and the empty line
        if letters < 0:
            yield f"(cut: ask for fewer tables; the next is {name})"
            return
        yield text


def _words(names: str | list[str]) -> list[str]:
    """Return names that are separated by commas, in one text or in several."""
    return [word.strip() for text in listed(names) for word in text.split(",") if word.strip()]


def _start_viewer(shelf: Shelf) -> str:
    """Start the viewer of a shelf in a thread; return its address.

    Raises:
        ValueError: it did not start in time.
        ModuleNotFoundError: its packages are not installed (extra ``view``).
    """
    import_extra("uvicorn", "view", "playhead view")
    import_extra("starlette", "view", "playhead view")
    addresses: Queue[str] = Queue()
    Thread(target=serve_shelf, args=(shelf,), kwargs={"ready": addresses.put}, daemon=True).start()
    try:
        return addresses.get(timeout=_START_SECONDS)
    except Empty:
        raise ValueError("the viewer did not start") from None


def _limit(asked: int) -> int:
    if asked < 1:
        raise ValueError(f"expected a limit of 1 or more, got {asked}")
    return min(asked, ROWS)
