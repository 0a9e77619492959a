"""The pages of a site as HTML, and its words for matches, games and people."""

from __future__ import annotations

import hashlib
import re
from base64 import b64encode
from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256
from html import escape as escape_html
from typing import Any

from playhead.clock import format_displayed
from playhead.presentation import map_title
from playhead.registry import vocabulary
from playhead.text.json import to_json
from playhead.text.visible import visible

_NOT_PLAYING = frozenset(("observer", "referee"))
_LONGEST = 120


def shown(text: str) -> str:
    """Return a text of a file as people see it: one line of at most 120 letters, control characters as escapes."""
    return visible(text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…")


def map_shown(name: str) -> str:
    """Return a map as people write it, as `shown`."""
    return shown(map_title(name))


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
        side = person.get("side_title") or person.get("side") or person.get("team")
        if side is not None:
            groups.setdefault(side, []).append(person)
    if not groups or len(groups) > 2:
        names = [name_of(person) for person in people_of(match)]
        return [("players", names, False)] if names else []
    found = []
    for side, people in groups.items():
        clans = {person.get("clan") for person in people}
        side = clans.pop() or side if len(clans) == 1 else side
        names = [name_of(each) for each in people]
        label = shown(side) if isinstance(side, str) and len(people) > 1 else ", ".join(names[:2])
        if len(people) == 1:
            names = [shown(people[0].get("character") or "")]
        elif not isinstance(side, str):  # nobody knows a side by its number
            label, names = (f"{label} +{len(names) - 2}", names) if len(names) > 2 else (label, [])
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
    return ", ".join(filter(None, (f"{versus} {score_of(match)}".strip(), map_shown(map_of(match["info"])))))


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


_STYLE = """
:root { color-scheme: light dark; --line: #8884; --faint: #767f8c; --link: #2f7fd1; }
body { font: 15px/1.5 system-ui, sans-serif; margin: 0 auto; max-width: 1180px; padding: 0 16px 40px; }
header { display: flex; flex-wrap: wrap; gap: 4px 18px; align-items: baseline; padding: 14px 0;
  border-bottom: 1px solid var(--line); }
header a { font-weight: 600; }
a { color: var(--link); text-decoration: none; } a:hover { text-decoration: underline; }
h1 { font-size: 24px; margin: 18px 0 4px; } h2 { font-size: 17px; margin: 26px 0 6px; }
p, .faint { color: var(--faint); } .scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; } th { text-align: left; color: var(--faint); font-weight: 500; }
td { white-space: nowrap; } th, td { padding: 5px 10px 5px 0; border-bottom: 1px solid var(--line); }
td.names { white-space: normal; min-width: 15em; } td.names:has(+ .names) { min-width: 3em; }
.number { text-align: right; font-variant-numeric: tabular-nums; }
.won { font-weight: 600; } .won::after { content: " ✓"; }
form { display: flex; flex-wrap: wrap; gap: 8px; margin: 14px 0; }
input, select { font: inherit; padding: 5px 9px; border: 1px solid var(--line); border-radius: 6px; }
input { flex: 1 1 14em; } iframe { width: 100%; height: 82vh; border: 1px solid var(--line); border-radius: 8px; }
"""

# Shows the rows that have every word of the search and the chosen game and map.
_SCRIPT = """
const rows = [...document.querySelectorAll("tbody tr[data-game]")];
const [text, game, map] = ["text", "game", "map"].map((name) => document.getElementById(name));
const count = document.getElementById("count");
function show() {
  const words = text.value.toLowerCase().split(/\\s+/).filter(Boolean);
  let shown = 0;
  for (const row of rows) {
    const fits = (!game.value || row.dataset.game === game.value) && (!map.value || row.dataset.map === map.value)
      && words.every((word) => row.dataset.text.includes(word));
    row.hidden = !fits;
    shown += fits;
  }
  count.textContent = `${shown} of ${rows.length} matches`;
}
text.form.addEventListener("submit", (event) => event.preventDefault());
for (const each of [text, game, map]) each.addEventListener("input", show);
"""

#: The columns of statistics that pages of people and maps show first; others follow.
_FIRST = (
    "kills deaths assists adr kast rating_2 net_worth gpm xpm apm spending_quotient finishes best_seconds".split()
)
_NUMBERS = 11
#: Least matches of a share of wins.
LEAST = 3
_LEFT_OUT = frozenset(
    "game name players player_rounds losses player_minutes duration_seconds game_seconds".split()
)
_TITLES = {"adr": "ADR", "kast": "KAST", "rating_2": "rating", "apm": "APM", "gpm": "GPM", "xpm": "XPM"}


def escape(text: str) -> str:
    """Return a text as HTML shows it, with control characters and marks of direction as escapes."""
    return escape_html(visible(text))


def page(
    site: str,
    title: str,
    body: str,
    *,
    up: str = "",
    about: str = "",
    picture: str | None = None,
    script: str = "",
) -> str:
    """Return a page. `up` leads to the folder of the site; `picture` is the address of the picture for links."""
    tags = {"og:title": title, "og:site_name": site, "og:type": "website", "og:description": about}
    if picture is not None:
        tags |= {"og:image": picture, "twitter:card": "summary_large_image"}
    metas = "".join(f'<meta property="{name}" content="{escape(value)}">' for name, value in tags.items() if value)
    scripted = f"<script>{script}</script>" if script else ""
    allowed = f"script-src 'sha256-{b64encode(sha256(script.encode()).digest()).decode()}'; " if script else ""
    policy = f"default-src 'none'; {allowed}style-src 'unsafe-inline'; img-src 'self'; frame-src 'self'"
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
        f"<title>{escape(title)} - {escape(site)}</title>{metas}<style>{_STYLE}</style></head><body>"
        f'<header><a href="{up}index.html">{escape(site)}</a><a href="{up}players.html">Players</a>'
        f'<a href="{up}maps.html">Maps</a><a href="{up}standings.html">Standings</a>'
        f'<a href="{up}matchups.html">Matchups</a></header>'
        f"<main><h1>{escape(title)}</h1>{body}</main>{scripted}"
        "</body></html>"
    )


def index_page(site: str, matches: Sequence[Mapping[str, Any]], failed: Sequence[tuple[str, str]]) -> str:
    """Return the list of all matches, with search and filters, and the inputs that could not be read."""
    games = sorted({match["info"]["game"] for match in matches})
    maps = sorted({map_of(match["info"]) for match in matches} - {""})
    choose = "".join(
        f'<select id="{name}" aria-label="{name}"><option value="">every {name}</option>'
        + "".join(f'<option value="{escape(value)}">{escape(shown(titled(value)))}</option>' for value in values)
        + "</select>"
        for name, values, titled in (("game", games, title_of_game), ("map", maps, map_title))
    )
    form = f'<form><input id="text" placeholder="Search names, maps, days">{choose}</form>'
    body = f'{form}<p id="count">{len(matches)} matches</p>{match_list(matches)}'
    if failed:
        rows = "".join(f"<tr><td>{escape(file)}</td><td>{escape(why)}</td></tr>" for file, why in failed)
        body += f"<h2>Could not be read</h2><table><tbody>{rows}</tbody></table>"
    return page(site, site, body, about=f"{len(matches)} matches", script=_SCRIPT)


def match_list(matches: Iterable[Mapping[str, Any]], up: str = "", person: str | None = None) -> str:
    """Return matches as a table, the latest first; with the result of one person."""
    rows = []
    for match in sorted(matches, key=lambda each: (day_of(each["info"]), each["id"]), reverse=True):
        info = match["info"]
        place = map_of(info)
        names = " v ".join(
            f'<span class="{"won" if won else ""}">{escape(_side_text(label, people))}</span>'
            for label, people, won in sides_of(match)
        )
        text = " ".join(
            [title_of_game(info["game"]), map_shown(place), day_of(info), *map(name_of, people_of(match))]
        ).lower()
        result = ""
        if person is not None:
            mine = next((each for each in people_of(match) if key_of(each) == person), {})
            result = f"<td>{escape(str(mine.get('result') or ''))}</td>"
        maps = f'<a href="{up}{file_name("maps", place)}">{escape(map_shown(place))}</a>' if place else ""
        rows.append(
            f'<tr data-game="{escape(info["game"] or "")}" data-map="{escape(place)}" data-text="{escape(text)}">'
            f'<td><a href="{up}matches/{match["id"]}.html">{escape(day_of(info) or "match")}</a></td>'
            f'<td class="names">{names}</td>{result}<td>{escape(title_of_game(info["game"]))}</td><td>{maps}</td>'
            f'<td class="number">{length_of(info)}</td></tr>'
        )
    head = "".join(
        f"<th>{name}</th>" for name in ("day", "players", *(["result"] if person else []), "game", "map", "length")
    )
    return f'<div class="scroll"><table><thead><tr>{head}</tr></thead><tbody>{"".join(rows)}</tbody></table></div>'


def _side_text(label: str, people: Sequence[str]) -> str:
    return f"{label} ({', '.join(people)})" if people else label


def match_page(site: str, match: Mapping[str, Any], address: str | None) -> str:
    """Return the page of a match: sides with links to the players, and the report."""
    place = map_of(match["info"])
    parts = [f"<p>{escape(summary_of(match))}</p>", _SHARE]
    if place:
        parts.append(f'<p>Map: <a href="../{file_name("maps", place)}">{escape(map_shown(place))}</a></p>')
    people = ", ".join(
        f'<a href="../{file_name("players", key_of(each))}">{escape(name_of(each))}</a>'
        for each in people_of(match)
    )
    parts.append(f"<p>{people}</p>")
    if match.get("report"):
        source = match["report"].rpartition("/")[2]
        parts.append(
            f'<iframe src="{source}" title="The match"></iframe><p><a href="{source}">The whole page</a></p>'
        )
    else:
        parts.append(f"<p>There is no report: {escape(match.get('why_no_report', 'unknown'))}</p>")
    picture = None
    if match.get("picture"):  # some chats read an address that is relative to the page
        picture = match["picture"].rpartition("/")[2] if address is None else address + match["picture"]
    return page(
        site, title_of(match), "".join(parts), up="../", about=summary_of(match), picture=picture,
        script=_COPY,
    )  # fmt: skip


_SHARE = (
    '<p><button data-copy="link">copy link</button> <button data-copy="embed">copy code to embed</button> '
    '<span id="copied"></span></p>'
)
# Copies the address of the page, or the code of a frame with its report.
_COPY = """
for (const button of document.querySelectorAll("[data-copy]")) button.addEventListener("click", async () => {
  const frame = document.querySelector("iframe"), copy = frame?.cloneNode();
  if (copy) copy.src = frame.src;
  await navigator.clipboard.writeText(button.dataset.copy === "embed" && copy?.outerHTML || location.href);
  document.getElementById("copied").textContent = "copied";
});
"""


def standings_page(site: str, matches: Iterable[Mapping[str, Any]]) -> str:
    """Return the standings of each game: wins, losses and form of each team or player, and the results
    against each rival."""
    return _records_page(site, "Standings", matches, ("",))


def matchups_page(site: str, matches: Iterable[Mapping[str, Any]]) -> str:
    """Return the same of the races or heroes, and of each team or player on each map."""
    return _records_page(site, "Matchups", matches, ("races and heroes", "maps"))


def _records_page(site: str, title: str, matches: Iterable[Mapping[str, Any]], wanted: tuple[str, ...]) -> str:
    games: dict[str, dict[str, _Results]] = {}
    for match in sorted(matches, key=lambda each: (day_of(each["info"]), each["id"])):
        sides, people = sides_of(match), people_of(match)
        if len(sides) != 2 or not any(won for *_, won in sides):
            continue
        held = games.setdefault(match["info"]["game"] or "", {"": {}, "races and heroes": {}, "maps": {}})
        place = map_shown(map_of(match["info"]))
        for (one, _, won), (two, *_) in (sides, sides[::-1]):
            held[""].setdefault(one, []).append((match["id"], two, won))
            if place:
                held["maps"].setdefault(f"{place}: {one}", []).append((match["id"], two, won))
            own, rivals = (
                {
                    str(each["character"])
                    for each in people
                    if each.get("character") and (each.get("result") == "win") == side
                }
                for side in (won, not won)
            )
            for character in own:
                met = [(match["id"], shown(rival), won) for rival in rivals if rival != character]
                held["races and heroes"].setdefault(shown(character), []).extend(met)
    parts = []
    for game, found in sorted(games.items()):
        made = "".join(
            f"<h3>{name}</h3>" * bool(name) + _record(found[name]) for name in wanted if any(found[name].values())
        )
        if made:
            parts.append(f"<h2>{escape(title_of_game(game))}</h2>{made}")
    note = f"<p>A share of wins needs {LEAST} matches.</p>"
    return page(site, title, "".join(parts) + note if parts else "<p>No match has a winner.</p>")


#: By name, match, rival and whether it was won; a match may have several rivals.
_Results = dict[str, list[tuple[str, str, bool]]]
#: Most rivals of a row.
_RIVALS = 10


def _record(results: _Results) -> str:
    """Return wins, losses and form of each name as a table, and its results against each rival."""
    rows = []
    counted = {name: {match: won for match, _, won in found} for name, found in results.items() if found}
    for name, own in sorted(counted.items(), key=lambda each: (-sum(each[1].values()), each[0])):
        wins = sum(own.values())
        share = f"{100 * wins / len(own):.0f} %" if len(own) >= LEAST else ""
        met: dict[str, list[bool]] = {}
        for _, rival, won in results[name]:
            met.setdefault(rival, []).append(won)
        most = sorted(sorted(met.items()), key=lambda each: -len(each[1]))[:_RIVALS]
        against = ", ".join(f"{other} {sum(of)}–{len(of) - sum(of)}" for other, of in sorted(most))
        form = " ".join("W" if won else "L" for won in list(own.values())[-5:])
        cells = (escape(name), f"{wins}–{len(own) - wins}", share, form, escape(against))
        rows.append("<tr>" + "".join(f'<td class="names">{cell}</td>' for cell in cells) + "</tr>")
    head = "".join(f"<th>{word}</th>" for word in ("name", "won–lost", "share", "form", "against"))
    table = f"<table><thead><tr>{head}</tr></thead><tbody>{''.join(rows)}</tbody></table>"
    return f'<div class="scroll">{table}</div>'


def feed_xml(site: str, matches: Iterable[Mapping[str, Any]], address: str) -> str:
    """Return the latest matches as RSS."""
    latest = sorted(matches, key=lambda each: (day_of(each["info"]), each["id"]), reverse=True)[:50]
    items = "".join(
        f"<item><title>{escape(title_of(match))}</title><link>{escape(address)}matches/{match['id']}.html</link>"
        f'<guid isPermaLink="false">{match["id"]}</guid>'
        f"<description>{escape(summary_of(match))}</description></item>"
        for match in latest
    )
    return (
        f'<?xml version="1.0" encoding="utf-8"?><rss version="2.0"><channel><title>{escape(site)}</title>'
        f"<link>{escape(address)}</link><description>{escape(site)}</description>{items}</channel></rss>"
    )


def list_page(site: str, title: str, kind: str, rows: Sequence[tuple[str, str, Mapping[str, Any]]]) -> str:
    """Return the list of people or maps: key, label and statistics of each, with search by the browser."""
    return page(site, title, _statistics([(f'<a href="{file_name(kind, key)}">{escape(label)}</a>', row)
                                          for key, label, row in rows]))  # fmt: skip


def own_page(
    site: str,
    title: str,
    rows: Sequence[tuple[str, Mapping[str, Any]]],
    matches: Sequence[Mapping[str, Any]],
    person: str | None = None,
) -> str:
    """Return the page of a person or a map: statistics, then the matches."""
    table = _statistics([(escape(label), row) for label, row in rows])
    return page(
        site, title, f"{table}<h2>Matches</h2>{match_list(matches, '../', person)}", up="../",
        about=f"{len(matches)} matches",
    )  # fmt: skip


def _statistics(rows: Sequence[tuple[str, Mapping[str, Any]]]) -> str:
    """Return statistics as a table: labels as HTML, and the numbers that any row has."""
    known = [name for row in rows[:1] for name in row[1] if name not in _LEFT_OUT]
    known = [name for name in known if any(isinstance(row.get(name), int | float) for _, row in rows)]
    first = ["matches", "wins", "win_share"]
    names = [name for name in dict.fromkeys((*first, *_FIRST, *known)) if name in known][:_NUMBERS]
    head = "".join(f'<th class="number">{escape(_title(name))}</th>' for name in names)
    lines = []
    for label, row in rows:
        few = (row.get("matches") or 0) < LEAST
        cells = "".join(f'<td class="number">{_number(name, row.get(name), few=few)}</td>' for name in names)
        lines.append(f"<tr><td>{label}</td><td>{escape(title_of_game(row.get('game')))}</td>{cells}</tr>")
    return (
        f'<div class="scroll"><table><thead><tr><th>name</th><th>game</th>{head}</tr></thead>'
        f"<tbody>{''.join(lines)}</tbody></table></div>"
        "<p>Numbers are means of a match; of DDNet, of those with a finished run.</p>"
    )


def _title(name: str) -> str:
    return _TITLES.get(name) or name.removeprefix("score_").replace("_", " ")


def _number(name: str, value: Any, *, few: bool) -> str:
    if value is None or (few and name.endswith("_share")):
        return ""
    if name.endswith("_share"):
        return f"{100 * value:.0f} %"
    if name == "rating_2":
        return f"{value:.2f}"
    return f"{value:,.0f}" if float(value).is_integer() else f"{value:,.1f}"


def index_json(matches: Iterable[Mapping[str, Any]]) -> str:
    """Return the list of matches for programs."""
    return to_json([
        {**match["info"], "id": match["id"], "replay": match["replay"], "title": title_of(match),
         "page": f"matches/{match['id']}.html", "players": match["players"]}
        for match in matches
    ])  # fmt: skip
