"""One match of a site, made in a worker: its report, its facts as JSON, its picture for links."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import Any

import playhead
from playhead.errors import ReplayError
from playhead.io.atomic import whole_file
from playhead.model import Options
from playhead.registry import open_replay
from playhead.runtime.records import dataclass
from playhead.site.card import draw_card
from playhead.tables.arrow import to_rows
from playhead.text.json import to_json, valid_text
from playhead.text.names import spaced
from playhead.view.report import write_report
from playhead.view.story import scores

#: The folder of the matches below that of the site, and the version of their files: another one is made anew.
FOLDER, VERSION = "matches", 6
#: Facts of a match that its page and the lists need.
_INFO = "game version build map map_english start_time end_time played_at".split()
_INFO += "duration_seconds winner_name winner_side".split()
_PEOPLE = "player name clan kind account team side character result".split()
#: Tables whose rows the statistics of players and maps add up.
COUNTED = ("player_stats", "runs")
#: Most rows of a table in the facts of a match.
_MOST = 400


_ENDINGS = {"report": ".report.html", "picture": ".png", "json": ".json"}


@dataclass(frozen=True, slots=True)
class MatchOrder:
    """One match to make: the start of its SHA-256, which names its files, the SHA-256, the recording, the folder
    of the site."""

    id: str
    replay: str
    path: str
    target: str


def files_of(id: str) -> dict[str, str]:
    """Return the paths of a match below the site, by kind."""
    return {kind: f"{FOLDER}/{id}{ending}" for kind, ending in _ENDINGS.items()}


def make_match(order: MatchOrder, report: Callable[[int, int], None]) -> dict[str, Any]:
    """Write the files of a match; return its facts. `report` takes bytes done and in all.

    Raises:
        ReplayError: the recording cannot be read.
        OSError: a file cannot be written.
    """
    root = Path(order.target)
    paths = {kind: root / name for kind, name in files_of(order.id).items()}
    with open_replay(order.path, Options(progress=report)) as replay:
        found = _facts(replay, order)
        try:
            write_report(replay, paths["report"])
            found["report"] = files_of(order.id)["report"]
        except (ValueError, NotImplementedError) as error:
            found["why_no_report"] = str(error)
    picture = draw_card(found)
    if picture is not None:
        with whole_file(paths["picture"]) as path:
            path.write_bytes(picture)
        found["picture"] = files_of(order.id)["picture"]
    with whole_file(paths["json"]) as path:
        path.write_text(to_json(found), encoding="utf-8", newline="\n")
    return found


def _facts(replay: playhead.Replay, order: MatchOrder) -> dict[str, Any]:
    names = [name for name in ("info", "players", *COUNTED) if name in replay.tables]
    tables = replay.read_tables(names)
    (info,) = to_rows(tables["info"])
    people = [{name: _plain(row.get(name)) for name in _PEOPLE} for row in to_rows(tables["players"])]
    shown, known = replay.presentation, {player.player: player for player in replay.players}
    for each in people:
        if each["player"] in known:  # in the words of players
            each["character"] = shown.character(known[each["player"]])
        each["side_title"] = shown.sides.get(each["team"]) or each["side"]
    about = {name: _plain(info.get(name)) for name in _INFO}
    if about["map_english"]:  # Heroes of the Storm writes SilverCity
        about["map_english"] = spaced(about["map_english"])
    made: dict[str, Any] = {
        "version": VERSION,
        "id": order.id,
        "replay": order.replay,
        "file": valid_text(Path(order.path).name),
        "info": about,
        "players": people[:_MOST],
        "score": _score(replay),
        "problems": len(replay.problems),
    }
    for name in COUNTED:
        if name in tables:
            made[name] = [_row(row) for row in to_rows(tables[name].slice(0, _MOST))]
    return made


def _score(replay: playhead.Replay) -> dict[str, int]:
    """Return the last score of each team, by its number as text; empty if the game counts none: supply is none."""
    if replay.presentation.stage.score_label == "supply":
        return {}
    with suppress(ReplayError, NotImplementedError):
        return {str(team): score for _, team, score in scores(replay)}
    return {}


def _row(row: Mapping[str, Any]) -> dict[str, Any]:
    return {name: _plain(value) for name, value in row.items()}


def _plain(value: Any) -> Any:
    """Return a value as JSON has it."""
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, str):
        return valid_text(value)
    if isinstance(value, float) and value != value:
        return None
    if isinstance(value, list):
        return [_plain(each) for each in value]
    return value if value is None or isinstance(value, bool | int | float) else str(value)


def read_match(path: Path) -> dict[str, Any] | None:
    """Return the facts of a match made before; None if they are missing, damaged, of another match or version."""
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    if not isinstance(found, dict) or found.get("version") != VERSION or found.get("id") != path.stem:
        return None
    return found
