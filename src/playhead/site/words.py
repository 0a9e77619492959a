"""Words of a site for matches, games and people."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from typing import Any

from playhead.clock import format_displayed
from playhead.registry import vocabulary
from playhead.text.visible import visible

_NOT_PLAYING = frozenset(("observer", "referee"))
_LONGEST = 120


def shown(text: str) -> str:
    """Return a text of a file as people see it: one line of at most 120 letters, control characters as escapes."""
    return visible(text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…")


def title_of_game(game: str | None) -> str:
    """Return the title of a game for people."""
    return vocabulary().games.get(game or "", game or "unknown game")


def map_of(info: Mapping[str, Any]) -> str:
    """Return the name of the map."""
    return info.get("map_english") or info.get("map") or ""


def day_of(info: Mapping[str, Any]) -> str:
    """Return the day of the match, or an empty text."""
    return str(info.get("played_at") or "")[:10]


def length_of(info: Mapping[str, Any]) -> str:
    """Return how long the recording is: 34:10."""
    seconds = info.get("duration_seconds")
    return "" if seconds is None else format_displayed(seconds)


def name_of(person: Mapping[str, Any]) -> str:
    """Return the name of a person for people."""
    return shown(_name(person))


def _name(person: Mapping[str, Any]) -> str:
    return person.get("name") or f"player {person.get('player')}"


def key_of(person: Mapping[str, Any]) -> str:
    """Return the key of a person over matches: the account, else the name."""
    return str(person.get("account") or _name(person))


def people_of(match: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Return those who played."""
    return [each for each in match["players"] if each.get("kind") not in _NOT_PLAYING]


def sides_of(match: Mapping[str, Any]) -> list[tuple[str, list[str], bool]]:
    """Return the sides of a match: label, names of the players, and whether it won."""
    groups: dict[Any, list[Mapping[str, Any]]] = {}
    for person in people_of(match):
        if person.get("team") is not None or person.get("side"):
            groups.setdefault(person.get("side") or person.get("team"), []).append(person)
    if not groups or len(groups) > 2:
        names = [name_of(person) for person in people_of(match)]
        return [("players", names, False)] if names else []
    found = []
    for side, people in groups.items():
        clans = {person.get("clan") for person in people}
        side = clans.pop() or side if len(clans) == 1 else side
        label = (
            name_of(people[0]) if len(people) == 1 else shown(side if isinstance(side, str) else f"team {side}")
        )
        names = (
            [shown(people[0].get("character") or "")] if len(people) == 1 else [name_of(each) for each in people]
        )
        won = bool(people) and all(each.get("result") == "win" for each in people)
        found.append((label, [name for name in names if name], won))
    return found


def score_of(match: Mapping[str, Any]) -> str:
    """Return the score of a match of two sides, in their order: 19–16; empty without one."""
    held = match.get("score") or {}
    teams = [str(team) for team in dict.fromkeys(person.get("team") for person in people_of(match))]
    known = len(held) > 0 and len(teams) == len(sides_of(match)) == 2
    return "–".join(str(held.get(team, 0)) for team in teams) if known else ""


def title_of(match: Mapping[str, Any]) -> str:
    """Return the title of a match: the opponents, the score, and the map."""
    sides = sides_of(match)
    versus = " v ".join(label for label, _, _ in sides) if len(sides) > 1 else title_of_game(match["info"]["game"])
    return ", ".join(filter(None, (f"{versus} {score_of(match)}".strip(), shown(map_of(match["info"])))))


def summary_of(match: Mapping[str, Any]) -> str:
    """Return a line about a match for links in chats."""
    info = match["info"]
    winner = next((label for label, _, won in sides_of(match) if won), None)
    facts = (title_of_game(info["game"]), day_of(info), length_of(info), winner and f"{winner} won")
    return " · ".join(filter(None, facts))


def file_name(kind: str, key: str) -> str:
    """Return the path of the page of a person or a map: readable, and another for every key."""
    plain = re.sub(r"[^a-z0-9]+", "-", key.lower()).strip("-")[:40]
    digest = hashlib.sha256(key.encode(errors="surrogatepass")).hexdigest()[:8]
    return f"{kind}/{plain or kind}-{digest}.html"
