"""`build_site`: writes the files of a site; a match that is there already costs nothing."""

from __future__ import annotations

import os
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from playhead.corpus.reading.collection import Corpus
from playhead.corpus.reading.statistics import player_statistics
from playhead.corpus.writing.pool import DEATHS, Task, WorkerLimits, open_pool
from playhead.io.atomic import whole_file
from playhead.runtime.libraries import pa
from playhead.runtime.records import dataclass
from playhead.site.matches import COUNTED, FOLDER, MatchOrder, files_of, make_match, read_match
from playhead.site.pages import (
    feed_xml,
    file_name,
    index_json,
    index_page,
    key_of,
    list_page,
    map_of,
    map_shown,
    match_page,
    matchups_page,
    name_of,
    own_page,
    people_of,
    standings_page,
)
from playhead.tables.value_arrays import array_of

#: The mark of a folder that has a site: others are not written into.
_MARK = "playhead-site.json"
_ID = 16


@dataclass(frozen=True, slots=True)
class Site:
    """The written files.

    Attributes:
        matches: number of matches of the site.
        made: number of those whose report was made now.
        failed: name and reason of each input that could not be read.
        bytes: size of all files.
    """

    matches: int
    made: int
    failed: tuple[tuple[str, str], ...]
    bytes: int


def build_site(
    corpus: Corpus,
    target: str | os.PathLike[str],
    *,
    title: str = "Matches",
    address: str | None = None,
    jobs: int = 1,
    limits: WorkerLimits | None = None,
    said: Callable[[str], object] = lambda line: None,
) -> Site:
    """Write a corpus as static pages: a list with search, a page for each match, person and map, a JSON index.

    Matches that the folder has already are kept, also those that the corpus lacks; they are not read again.
    Workers make the reports, so an input that hangs or crashes costs only itself.

    Args:
        corpus: the replays.
        target: a new or empty folder, or one with a site.
        title: of the site.
        address: the address at which it will be, for pictures beside links in chats (``https://…/``).
        jobs: number of processes.
        limits: time and memory of one match.
        said: is called with the name of each match that was made.

    Raises:
        FileExistsError: the folder has other files.
        ValueError: `address` is no address of the web.
        OSError: a file cannot be written.
    """
    root = Path(target)
    if root.exists() and any(root.iterdir()) and not (root / _MARK).exists():
        raise FileExistsError(f"{root}: the folder has other files than a site")
    if address is not None and not re.match(r"https?://[^/]", address):
        raise ValueError(f"expected an address such as https://example.org/, got {address!r}")
    _write(root / _MARK, index_json(()))
    failed: list[tuple[str, str]] = []
    orders = []
    for item in corpus.items:
        if item.reason is not None:
            failed.append((Path(item.file).name, item.error or item.reason))
            continue
        if read_match(root / files_of(item.id[:_ID])["json"]) is None:
            orders.append(MatchOrder(item.id[:_ID], item.id, item.copy or item.file, str(root)))
    made = 0
    with open_pool(jobs, limits or WorkerLimits()) as pool:
        for result in pool.run(iter([Task(order.path, make_match, order) for order in orders])):
            name = Path(result.task.key).name
            if result.death is not None:
                failed.append((name, DEATHS[result.death.reason]))
            elif result.error is not None:
                if isinstance(result.error, OSError):
                    raise result.error
                failed.append((name, str(result.error)))
            else:
                made += 1
                said(name)
    found = [read_match(path) for path in sorted((root / FOLDER).glob("*.json"))]
    matches = [match for match in found if match is not None]
    _write_pages(root, title, matches, failed, None if address is None else address.rstrip("/") + "/")
    size = sum(path.stat().st_size for path in root.rglob("*") if path.is_file())
    return Site(len(matches), made, tuple(failed), size)


def _write_pages(
    root: Path,
    title: str,
    matches: Sequence[Mapping[str, Any]],
    failed: Sequence[tuple[str, str]],
    address: str | None,
) -> None:
    """Write the lists and the pages of matches, people and maps."""
    _write(root / "index.html", index_page(title, matches, failed))
    _write(root / "matches.json", index_json(matches))
    _write(root / "standings.html", standings_page(title, matches))
    _write(root / "matchups.html", matchups_page(title, matches))
    if address is not None:
        _write(root / "feed.xml", feed_xml(title, matches, address))
    for match in matches:
        _write(root / FOLDER / f"{match['id']}.html", match_page(title, match, address))
    of_person: dict[str, list[Mapping[str, Any]]] = defaultdict(list)
    of_map: dict[str, list[Mapping[str, Any]]] = defaultdict(list)
    names: dict[str, str] = {}
    for match in matches:
        for person in people_of(match):
            if match not in of_person[key_of(person)]:
                of_person[key_of(person)].append(match)
            names[key_of(person)] = name_of(person)
        if map_of(match["info"]):
            of_map[map_of(match["info"])].append(match)
    by_person, by_map = _statistics(matches, "player"), _statistics(matches, "map", "side")
    whole = _statistics(matches, "map")
    people = [(key, names.get(key, key), row) for key, rows in by_person.items() for _, row in rows]
    _write(root / "players.html", list_page(title, "Players", "players", people))
    maps = [(key, map_shown(key), row) for key, rows in whole.items() for _, row in rows]
    _write(root / "maps.html", list_page(title, "Maps", "maps", maps))
    for key, held in of_person.items():
        rows = by_person.get(key, [])
        _write(root / file_name("players", key), own_page(title, names[key], rows, held, key))
    for key, held in of_map.items():
        rows = by_map.get(key, [])
        _write(root / file_name("maps", key), own_page(title, map_shown(key), rows, held))


def _statistics(matches: Sequence[Mapping[str, Any]], *by: str) -> dict[str, list[tuple[str, Mapping[str, Any]]]]:
    """Return rows of statistics by the first dimension, each with the others as label."""
    tables = _tables(matches)

    def read(names: Sequence[str], options: Mapping[str, Any]) -> Mapping[str, pa.Table]:
        return {name: tables[name] for name in names if name in tables}

    found: dict[str, list[tuple[str, Mapping[str, Any]]]] = defaultdict(list)
    made = player_statistics(read, by, "match", percentiles=False, least=1)
    for row in made.to_pylist():
        label = " ".join(str(row[name]) for name in by[1:] if row[name] is not None) or "all"
        found[row[by[0]] or ""].append((label, {name: row[name] for name in row if name not in by}))
    return found


def _tables(matches: Iterable[Mapping[str, Any]]) -> dict[str, pa.Table]:
    """Return the facts of matches as the tables of a corpus."""
    rows: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for match in matches:
        replay = {"replay": match["replay"]}
        info = dict(match["info"])
        for name in ("start_time", "end_time", "played_at"):
            info[name] = None if info.get(name) is None else datetime.fromisoformat(info[name])
        rows["info"].append(info | replay)
        people = [{**row, "side": row["side_title"]} for row in match["players"]]  # in the words of pages
        for name, some in (("players", people), *((name, match.get(name, ())) for name in COUNTED)):
            rows[name] += [row | replay for row in some]
    return {name: _table(some) for name, some in rows.items() if some}


def _table(rows: Sequence[Mapping[str, Any]]) -> pa.Table:
    columns: dict[str, pa.Array] = {}
    for name in dict.fromkeys(name for row in rows for name in row):
        values = [row.get(name) for row in rows]
        kinds = {type(value) for value in values if value is not None}
        form = next((form for form, types in _forms() if kinds <= types), None)
        if kinds == {list} and all(type(each) is int for some in values for each in some or ()):
            form = pa.list_(pa.int64())
        if form is not None:
            columns[name] = array_of(
                [float(v) if form == pa.float64() and v is not None else v for v in values], form
            )
    return pa.table(columns)


def _forms() -> tuple[tuple[pa.DataType, set[type]], ...]:
    return (
        (pa.string(), {str}),
        (pa.bool_(), {bool}),
        (pa.int64(), {int}),
        (pa.float64(), {int, float}),
        (pa.timestamp("us", tz="UTC"), {datetime}),
    )


def _write(path: Path, text: str) -> None:
    with whole_file(path) as target:
        target.write_text(text, encoding="utf-8", errors="backslashreplace", newline="\n")
