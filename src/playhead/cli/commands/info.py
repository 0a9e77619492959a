"""``playhead info``: the main facts of a replay in a few lines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from operator import itemgetter

from playhead import Info, Player, Replay, ReplayError
from playhead.cli.arguments import Parser, UsageError
from playhead.cli.inputs.options import add_files, add_json, add_map, add_player, add_strict, choose_players
from playhead.cli.inputs.reading import Reading
from playhead.cli.output.standard import print_err, print_json, print_out
from playhead.clock import format_seconds
from playhead.errors import TruncatedReplay
from playhead.runtime.typing import TYPE_CHECKING, Any
from playhead.tables.shared import INFO
from playhead.text.visible import visible

if TYPE_CHECKING:
    from pathlib import Path

#: Facts of a map's file that are shown; JSON has all.
_MAP_FACTS = ("name", "belongs", "width", "height", "bounds", "tile_set", "start_locations", "minimap_name")


#: A match as one line: when, game, length, map, and the rest; of one player's matches also result and opponent.
_LINE = "{:<16}  {:<8}  {:>7}  {:<20}  {}"
_RESULT = "{:<6}  {:<36}  {}"
#: Sides that a line names.
_MOST_SIDES = 4


def add_arguments(parser: Parser) -> None:
    add_files(parser)
    add_json(parser, "Print one JSON object per file, with all details.")
    add_player(parser, "Only matches of this player, with result and opponent")
    add_map(parser, "Print name, size, bounds, start positions of the map")
    parser.flag("--long", "Several replays: all facts of each, not a line.")
    parser.flag("--check", "Read the whole file to find all problems.")
    add_strict(parser)


def run(
    files: list[str],
    *,
    as_json: bool,
    player: list[str] | None,
    map: Path | None,
    check: bool,
    long: bool,
    strict: bool,
) -> None:
    """Show game, map, length, players, score and winner.

    Several replays are a line each, by date, as are those of --player; --long shows all facts of each.
    Only the parts that hold these facts are read, and only problems found there are shown; --check reads all.
    """
    reading = Reading(files, strict=strict, as_json=as_json)
    lines: list[tuple[str, str]] = []
    for replay in reading:
        with reading.guard(replay):
            chosen = None if player is None else choose_players(reading, replay, player)
            if chosen == []:
                continue
            # Read now: damaged facts raise here. A score is first, for its pass finds all else, too.
            score = replay.presentation.final_score(replay)
            replay.players, replay.info  # noqa: B018
            if check:
                replay.problems  # noqa: B018  (reads the whole file)
            played_on = None
            if map is not None and "map" in replay.capabilities:
                played_on = _read_map(replay, map)
            elif map is not None:
                reading.lacks(replay, "cannot read its map's own file", all_of_it=False)
            if as_json:
                map_facts = {} if played_on is None else {"map_file": played_on}
                print_json(
                    {"file": replay.name, **_as_dict(replay), "score": score, "checked": check, **map_facts}
                )
            elif (reading.several or chosen) and not long and map is None:
                shown = [each for each in replay.players if each.player in chosen] if chosen else [None]
                lines += [(str(replay.info.played_at or "~"), _line(replay, score, one)) for one in shown]
            else:
                for line in _as_lines(replay, score, played_on or {}, check=check):
                    print_out(line)
                if reading.several:
                    print_out()
            reading.problems_so_far(replay)
    if lines:
        rest = "sides, score, winner, file"
        rest = rest if player is None else _RESULT.format("result", "player v opponent", rest)
        print_out(_LINE.format("played", "game", "length", "map", rest))
    for _, line in sorted(lines, key=itemgetter(0)):
        print_out(line)
    reading.finish()


def _read_map(replay: Replay, path: Path) -> dict[str, Any]:
    """Return the facts of the map's file, and warn if it belongs to another map."""
    try:
        found: dict[str, Any] = replay.read_map(path).as_dict()
    except (ReplayError, OSError) as error:
        raise UsageError(str(error), "--map") from None
    if found["belongs"] is False:
        print_err(
            f"playhead: warning: {replay.name} was not played on {path}: this is another map, or another version"
        )
    for problem in found["problems"]:
        print_err(f"playhead: warning: {path}: {problem}")
    return found


def _as_dict(replay: Replay) -> dict[str, Any]:
    return {
        **replay.info.as_dict(),
        "first_tick": replay.first_tick,
        "recorded_seconds": replay.recorded_seconds,
        "players": [player.as_dict() for player in replay.players],
        "problems": [problem.as_dict() for problem in replay.problems_so_far],
    }


def _line(replay: Replay, score: str | None, one: Player | None) -> str:
    """Return a match as one line; with result and opponent of one player."""
    facts, shown, seconds = replay.info, replay.presentation, replay.recorded_seconds
    played = "-" if facts.played_at is None else f"{facts.played_at:%Y-%m-%d %H:%M}"
    place = shown.map_name(facts) or facts.map or "-"
    length = "-" if seconds is None else format_seconds(seconds)
    winner = shown.winner(facts)
    told = [
        _sides(replay),
        score,
        winner and f"{winner} won",
        None if facts.complete else "incomplete",
        facts.source,
    ]
    rest = " · ".join(filter(None, told))
    if one is not None:
        others = [people for people in _by_team(replay).values() if one not in people]
        few = one.team is not None and len(others) < _MOST_SIDES
        against = [_side(replay, people) for people in others] if few else []
        rest = _RESULT.format(one.result or "-", " v ".join([_side(replay, [one]), *against]), rest)
    return _LINE.format(played, facts.game or "-", length, place, rest)


def _by_team(replay: Replay) -> dict[int, list[Player]]:
    """Return the players of each team, in the order of the score."""
    sides: dict[int, list[Player]] = {}
    for each in replay.players:
        if each.team is not None and each.side not in ("observer", "spectator"):
            sides.setdefault(each.team, []).append(each)
    return dict(sorted(sides.items()))


def _sides(replay: Replay) -> str | None:
    """Return the sides by their first players: ``Needle (Terran) v Spindle (Zerg)``, ``Aster +4 v Fern +4``."""
    sides = _by_team(replay)
    if not sides:
        return _side(replay, replay.players) if replay.players else None
    if len(sides) > _MOST_SIDES:
        return f"{sum(map(len, sides.values()))} players in {len(sides)} teams"
    return " v ".join(_side(replay, people) for people in sides.values())


def _side(replay: Replay, people: Sequence[Player]) -> str:
    first, *others = people
    clans = {each.clan for each in people}
    if others and len(clans) == 1 and first.clan:
        return first.clan
    character = None if others else replay.presentation.character(first)
    more = f" +{len(others)}" if others else f" ({character})" if character else ""
    return f"{first.name or '(no name)'}{more}"


def _as_lines(replay: Replay, score: str | None, played_on: Mapping[str, Any], *, check: bool) -> list[str]:
    facts = replay.info
    rows = [
        ("file", facts.source),
        ("format", facts.format),
        ("game", facts.game),
        ("version", facts.version),
        ("build", facts.build),
        ("map", facts.map),
        ("map english", None if facts.map_english == facts.map else facts.map_english),
        ("start", facts.start_time and facts.start_time.isoformat(sep=" ")),
        ("end", facts.end_time and facts.end_time.isoformat(sep=" ")),
        ("played", _played(facts)),
        ("duration", _duration(replay)),
        ("from", _from(replay)),
        ("score", score),
        ("winner", replay.presentation.winner(facts)),
        ("complete", "yes" if facts.complete else _incomplete(replay)),
    ]
    rows[-1:-1] = [(column.replace("_", " "), facts.details.get(column)) for column in _own_columns(replay)]
    map_rows = {
        f"map file's {name.replace('_', ' ')}": played_on[name] for name in _MAP_FACTS if name in played_on
    }
    rows[-1:-1] = map_rows.items()
    rows += [("players" if i == 0 else "", _player(p, replay)) for i, p in enumerate(replay.players)]
    none = "none" if check else "none found (--check reads the whole file)"
    rows.append(("problems", len(replay.problems_so_far) or none))
    shown = [(name, value) for name, value in rows if value is not None]
    width = max(10, 1 + max(len(name) for name, _ in shown))
    return [f"{name:<{width}}{visible(_spoken(value))}" for name, value in shown]


def _spoken(value: Any) -> str:
    """Return several values separated by commas, and the numbers of a position or area in brackets."""
    if not isinstance(value, list | tuple):
        return str(value)
    return ", ".join(f"({_spoken(each)})" if isinstance(each, list | tuple) else str(each) for each in value)


def _own_columns(replay: Replay) -> tuple[str, ...]:
    """Return the format's own columns of table ``info``, which follow the shared ones."""
    return replay.info_schema.column_names[len(INFO.columns) :]


def _duration(replay: Replay) -> str | None:
    seconds, last = replay.recorded_seconds, replay.brief_info.duration_ticks
    if seconds is None or last is None:
        return None
    clock = replay.recording_clock
    which = "" if clock is None else f"{clock.label}, "
    return f"{format_seconds(seconds)} ({which}{max(0, last - replay.first_tick)} ticks)"


def _played(facts: Info) -> str | None:
    """Return when it was played, if that is computed; None if it is one of the times above."""
    if facts.played_at is None or facts.played_at_is != "end_less_duration":
        return None
    return f"{facts.played_at.isoformat(sep=' ', timespec='seconds')} (end less duration)"


def _incomplete(replay: Replay) -> str:
    """Return whether a part is lost, for a recording without its end: `no` alone is one that was never ended."""
    costs = [each.cost for each in replay.problems_so_far if each.kind == TruncatedReplay.__name__]
    return f"no, lost: {'; '.join(dict.fromkeys(costs))}" if costs else "no"


def _from(replay: Replay) -> str | None:
    """Return where a recording begins that begins late; None for others."""
    first, clock = replay.first_tick, replay.brief_info.clock
    if not first:
        return None
    return f"tick {first}" if clock is None else f"{format_seconds(clock.seconds(first))} (tick {first})"


def _player(player: Player, replay: Replay) -> str:
    name = player.name or "(no name)"
    if player.clan:
        name = f"[{player.clan}] {name}"
    side = player.side or (None if player.team is None else f"team {player.team}")
    kind = player.kind if player.kind != "human" else None
    own = [_fact(name, player.details.get(name)) for name in replay.presentation.player_facts]
    character = replay.presentation.character(player)
    facts = dict.fromkeys((side, character, *own, kind, player.result))
    extra = ", ".join(str(fact) for fact in facts if fact)
    return f"{name} ({extra})" if extra else name


def _fact(name: str, value: Any) -> str | None:
    """Return a text unchanged, and a number with its name."""
    return value if value is None or isinstance(value, str) else f"{name} {value}"
