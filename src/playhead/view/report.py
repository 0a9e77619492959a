"""``playhead report``: the page with a thinned match in it, as one file that opens from disk."""

from __future__ import annotations

import base64
import gzip
import hashlib
import struct
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from html import escape
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

from playhead.errors import ReplayError
from playhead.io.atomic import whole_file
from playhead.presentation.motion import BUILDING, HERO, RESOURCE, Rows
from playhead.text.json import to_json, valid_text
from playhead.view.browse import rows_of, within
from playhead.view.curves import curve
from playhead.view.feed import event_rows
from playhead.view.map import effects
from playhead.view.match import MapFile, Match
from playhead.view.story import decided, notes, part_of, part_of_story, story_of

if TYPE_CHECKING:
    from playhead.presentation import PresentedReplay

#: Limit of the size of a report, in bytes.
MOST_BYTES = 3_000_000
#: Limit of the picture of the map, in bytes. Base64 twice makes sixteen bytes of nine.
PICTURE_BYTES = 600_000
#: Limits of the samples, events and rows of each table.
SAMPLES, EVENTS, ROWS = 1200, 3000, 200
#: Limits of the moments that are equally far apart, and of those at kills, jumps and ends of chapters.
MOMENTS, TOLD = 120, 280
#: Most stretches that a match is read in: a damaged file may claim to last for years.
STRETCHES = 1000


def write_report(
    replay: PresentedReplay,
    path: str | Path,
    map_file: MapFile | None = None,
    against: PresentedReplay | None = None,
    ticks: tuple[int, int] | None = None,
    said: Callable[[str], object] | None = None,
) -> int:
    """Write `report_page` as one file, completely or not at all; return its size.

    Raises:
        ValueError: even the thinnest report is too large, or `ticks` are not a part of the recording.
        OSError: the file cannot be written.
    """
    page = report_page(replay, map_file, against, ticks, said=said)
    with whole_file(Path(path)) as target:
        target.write_bytes(page)
    return len(page)


def report_page(
    replay: PresentedReplay,
    map_file: MapFile | None = None,
    against: PresentedReplay | None = None,
    ticks: tuple[int, int] | None = None,
    opens: int | None = None,
    said: Callable[[str], object] | None = None,
) -> bytes:
    """Return a match as one HTML page of at most `MOST_BYTES`.

    With `against`, the page opens on the comparison of the players with those of that replay. With `ticks`, it is
    a clip from the first to the last of them. For a long match, samples are further apart, and only players' own
    units and structures are included. The page opens at tick
    `opens`, or else on the best moment. `said` is called with the file of an installed game that is the ground.

    Raises:
        ValueError: even the thinnest report is too large, or `ticks` are not a part of the recording.
        NotImplementedError: the two games cannot be compared.
    """
    match = Match(replay, map_file, said=said, most_picture=PICTURE_BYTES, ticks=ticks)
    base = _base(match, against, ticks, opens)
    place = "" if opens is None else f"t={opens:d}"
    if against is not None:  # the first table compares
        place = "&".join(filter(None, [place, f"tab=tables&table={next(iter(base['tables']))}"]))
    for samples, everything in ((SAMPLES, True), (SAMPLES, False), (SAMPLES // 3, False), (SAMPLES // 10, False)):
        page = _page(base, _state(match, samples, everything), match.name, place)
        if len(page) <= MOST_BYTES:
            return page
    raise ValueError(f"the report would have {len(page)} bytes, more than {MOST_BYTES}")


def _base(
    match: Match, against: PresentedReplay | None, ticks: tuple[int, int] | None, opens: int | None
) -> dict[str, Any]:
    """Return the answers that the page would request from the server."""
    replay = match.whole
    summary = match.summary()
    tables: dict[str, Any] = {}
    wanted = [name for name in replay.presentation.report_tables if name in replay.tables]
    more = {} if replay.presentation.coach is None else replay.presentation.coach(replay, against)
    made = {name: table for name, (_, table) in more.items()} | dict(replay.read_tables(wanted))
    for name, table in made.items():
        table = within(table, ticks)
        found = rows_of(table.slice(0, ROWS))
        found["rows"] = [list(map(replay.presentation.wording.shown, row)) for row in found["rows"]]
        tables[name] = {**found, "whole": table.num_rows}
    summary["tables"] = [each for each in summary["tables"] if each["name"] in wanted]
    summary["tables"] += [
        {"name": name, "doc": schema.doc, "columns": list(schema.column_names)}
        for name, (schema, _) in more.items()
    ]
    summary["curves"] = [each for each in summary["curves"] if each["first"]]
    events = event_rows(replay, tuple(summary["notable"]), EVENTS, ticks)
    opening = events["opening"] or (match.first_seen() if ticks is None else None)
    whole = story_of(replay)
    story = whole if ticks is None else part_of_story(whole, *ticks)
    answers = {
        "summary": summary,
        "clock": match.clock(),
        "ground": _rounded(match.ground()),
        "events": events,
        "jumps": events["jumps"],
        "opening": opening,
        "story": story,
        "problems": match.problems(),
        "decided": decided(replay, whole["lead"]),
        "effects": effects(replay, ticks),
        "notes": notes(replay, ticks),
        **{f"curve:{each['name']}": _clipped(curve(replay, each["name"]), ticks) for each in summary["curves"]},
    }
    moments: list[dict[str, Any]] = []
    if summary["has_map"]:
        for tick in _moment_ticks(match, [None if opening is None else opening["tick"], opens], events, story):
            found = match.moment(tick)
            moments.append({**found, "units": [row for row in found["units"] if row["player"] is not None]})
    with suppress(KeyError, NotImplementedError, ReplayError):  # a format without positions
        answers["heat"] = match.heat(None, ticks)
    return {"answers": answers, "moments": moments, "tables": tables}


def _moment_ticks(
    match: Match, wanted: Iterable[int | None], events: Mapping[str, Any], story: Mapping[str, Any]
) -> list[int]:
    """Return the ticks of which the report has the players' state, in order: those that it opens on, kills, jumps,
    beginnings and ends of chapters, and some that are equally far apart."""
    columns = events["columns"]
    told = {tick for tick, kill in zip(columns["tick"], columns["kill"], strict=True) if kill}
    told |= {tick for ticks in events["jumps"].values() for tick in ticks}
    told |= {
        each[name] for each in story["chapters"] for name in ("tick", "opens", "end") if each[name] is not None
    }
    chosen = sorted(told)[:: max(1, -(-len(told) // TOLD))]
    apart = max(1, -(-(match.last_tick - match.first_tick) // MOMENTS))
    ticks = {*range(match.first_tick, match.last_tick + 1, apart), *chosen, *filter(None, wanted)}
    return sorted(tick for tick in ticks if match.first_tick <= tick <= match.last_tick)


def _clipped(found: dict[str, Any], ticks: tuple[int, int] | None) -> dict[str, Any]:
    """Return a curve from the first to the last of these ticks."""
    if ticks is None:
        return found
    return {**found, **{part: [part_of(line, *ticks) for line in found[part]] for part in ("lines", "sides")}}


def _rounded(found: Mapping[str, Any]) -> dict[str, Any]:
    marks = [[kind, round(x, 1), round(y, 1), *more] for kind, x, y, *more in found["marks"]]
    return {**found, "marks": marks, "tiles": found["tiles"][:20_000]}


def _state(match: Match, samples: int, everything: bool) -> bytes:
    """Return the moving things of the whole match as one stretch."""
    first, lasts = match.first_tick, match.last_tick - match.first_tick
    if not match.has_map:
        return Rows().to_bytes(first, match.last_tick, 1)
    step = max(match.step, -(-lasts // samples), round(match.motion.report_step_seconds * match.rate))
    rows = Rows()
    gone: dict[int, int] = {}
    long = max(match.stretch * 8, -(-lasts // STRETCHES))
    for start in range(first, match.last_tick + 1, long):
        end = min(start + long, match.last_tick)
        part = match.motion.rows(start, end, step)
        _append(rows, part, step, everything, gone)
    return rows.to_bytes(first, match.last_tick, step)


def _append(rows: Rows, part: Rows, step: int, everything: bool, last: dict[int, int]) -> None:
    """Append a stretch: for each thing at most one row per step, and the rows in which it is gone."""
    here: set[int] = set()
    for place, (tick, thing) in enumerate(zip(part.ticks, part.things, strict=True)):
        about = part.directory[thing]
        if (not everything and about["role"] not in (HERO, BUILDING)) or about["role"] == RESOURCE:
            continue
        key = about["id"]
        known = rows.places.get(key)
        number = rows.new(key, {key: about[key] for key in about if key != "id"}) if known is None else known
        here.add(number)
        state = part.states[place]
        if state and tick - last.get(number, -step) < step:
            continue
        x, y, facing, health = part.numbers[place * 4 : place * 4 + 4]
        known = state != 0
        rows.add(
            tick,
            number,
            round(x, 1) if known else None,
            round(y, 1) if known else None,
            facing=round(facing, 2),
            health=round(health, 2),
            state=state,
            seen=part.seen[place],
            team=part.teams[place],
        )
        if place in part.details:
            rows.details[len(rows.ticks) - 1] = part.details[place]
        last[number] = tick
    rows.items = part.items
    first = part.ticks[0] if part.ticks else None
    if first is not None:
        there = {number for number, tick in last.items() if tick < first and number not in here}
        for number in there:  # present at the end of the previous stretch, absent from this one
            rows.add(first, number, None, None)
            del last[number]


def _page(packed: Mapping[str, Any], state: bytes, name: str, place: str) -> bytes:
    """Return the page with the match in it. Its policy allows its own script and style, and loads nothing."""
    static = files("playhead.view").joinpath("static")
    script = static.joinpath("page.js").read_text(encoding="utf-8").replace("</script", "<\\/script")
    style = static.joinpath("page.css").read_text(encoding="utf-8")
    text = to_json(packed).encode()
    held = gzip.compress(struct.pack("<I", len(text)) + text + state, 9, mtime=0)
    data = base64.b64encode(held).decode()
    policy = (
        f"default-src 'none'; script-src 'sha256-{_digest(script)}'; style-src 'sha256-{_digest(style)}'; "
        "img-src data: blob:; base-uri 'none'; form-action 'none'"
    )
    title = escape(valid_text(_teams(packed["answers"]["summary"]) or name))
    html = (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f'<title>{title} · playhead</title>\n{_open_graph(packed)}<link rel="icon" href="data:,">\n'
        f"<style>{style}</style>\n</head>\n"
        f'<body>\n<div id="page" data-place="{place.replace("&", "&amp;")}"></div>\n'
        f'<script type="application/octet-stream" id="match">{data}</script>\n'
        f"<script>{script}</script>\n</body>\n</html>\n"
    )
    return html.encode()


def _open_graph(packed: Mapping[str, Any]) -> str:
    """Return what sites show beside a link to the report: who played, who won, what, and when."""
    summary, opening = packed["answers"]["summary"], packed["answers"]["opening"]
    won = summary["winner"] and f"{summary['winner']} won"
    about = (won, summary["title"], summary["map"], (summary["started"] or "")[:10], (opening or {}).get("label"))
    shown = {
        "type": "website",
        "site_name": "playhead",
        "title": _teams(summary) or summary["name"],
        "description": ". ".join(filter(None, about)),
    }
    return "".join(
        f'<meta property="og:{name}" content="{escape(valid_text(text))}">\n' for name, text in shown.items()
    )


def _teams(summary: Mapping[str, Any]) -> str | None:
    """Return the names of two teams: the clan of all, or else the side or the player; None for other numbers."""
    teams: dict[Any, list[Mapping[str, Any]]] = {}
    for each in summary["players"]:
        if each["name"] and each["team"] is not None:
            teams.setdefault(each["side"] or each["name"], []).append(each)
    if len(teams) != 2:
        return None
    clans = [{each.get("clan") for each in people} for people in teams.values()]
    named = [
        next(iter(clan)) if len(clan) == 1 and len(people) > 1 else None
        for clan, people in zip(clans, teams.values(), strict=True)
    ]
    return " vs ".join(clan or side for clan, side in zip(named, teams, strict=True))


def _digest(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
