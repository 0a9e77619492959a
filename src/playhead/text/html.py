"""Facts, rows, tabs and cards for notebooks, as plain HTML and CSS in the colours of the page.

They need no script. If a page drops the style (untrusted notebooks), all parts are readable, one below the other.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Mapping, Sequence
from html import escape

_MOST_ROWS = 40
_MOST_CHIPS = 24
_LONGEST_CELL = 120
_numbers = itertools.count(1)

# The page's own colours with less opacity suit dark and light pages alike.
_STYLE = """
.playhead { font-size: 13px; line-height: 1.45; max-width: 100%; }
.playhead .ph-title { font-weight: 600; margin: 4px 0; }
.playhead .ph-note, .playhead .ph-type { opacity: 0.65; font-weight: 400; }
.playhead .ph-type { font-size: 11px; display: block; }
.playhead dl { display: grid; grid-template-columns: max-content auto; gap: 1px 14px; margin: 6px 0; }
.playhead dt { opacity: 0.65; font-weight: 400; margin: 0; }
.playhead dd { margin: 0; overflow-wrap: anywhere; }
.playhead .ph-scroll { overflow-x: auto; max-height: 420px; overflow-y: auto; }
.playhead table { font-size: 13px; border-collapse: collapse; margin: 4px 0; }
.playhead th, .playhead td { text-align: left; padding: 2px 10px 2px 0; vertical-align: top; white-space: nowrap; }
.playhead td.ph-text { white-space: normal; min-width: 16em; }
.playhead th { border-bottom: 1px solid rgba(127, 127, 127, 0.5); font-weight: 600; }
.playhead tbody tr + tr td { border-top: 1px solid rgba(127, 127, 127, 0.18); }
.playhead th.ph-number, .playhead td.ph-number { text-align: right; font-variant-numeric: tabular-nums; }
.playhead .ph-chip { display: inline-block; border: 1px solid rgba(127, 127, 127, 0.4); border-radius: 9px;
  padding: 0 8px; margin: 1px 3px 1px 0; white-space: nowrap; }
.playhead .ph-tabs { display: flex; flex-wrap: wrap; }
.playhead .ph-tabs > input { position: absolute; opacity: 0; pointer-events: none; }
.playhead .ph-tabs > label { order: 1; padding: 2px 12px; margin: 0; cursor: pointer; opacity: 0.65;
  border-bottom: 2px solid rgba(127, 127, 127, 0.3); }
.playhead .ph-tabs > input:checked + label { opacity: 1; font-weight: 600; border-bottom-color: #0072b2; }
.playhead .ph-tabs > input:focus-visible + label { outline: 1px dotted; }
.playhead .ph-tabs > section { order: 2; flex-basis: 100%; display: none; padding-top: 6px; min-width: 0; }
.playhead .ph-tabs > input:checked + label + section { display: block; }
"""


def page_html(*parts: str) -> str:
    """Return parts as one piece of HTML with their style."""
    return f'<div class="playhead"><style>{_STYLE}</style>{"".join(parts)}</div>'


def title_html(title: str, note: str = "") -> str:
    """Return a heading followed by a note in a fainter colour."""
    noted = f' <span class="ph-note">{escape(note)}</span>' if note else ""
    return f'<div class="ph-title">{escape(title)}{noted}</div>'


def facts_html(facts: Mapping[str, object]) -> str:
    """Return a list of named values; values that are None or empty are skipped."""
    shown = [(name, value) for name, value in facts.items() if value not in (None, "")]
    items = "".join(f"<dt>{escape(_words(name))}</dt><dd>{_cell(value)}</dd>" for name, value in shown)
    return f"<dl>{items}</dl>" if items else ""


def rows_html(
    rows: Sequence[Mapping[str, object]], most: int = _MOST_ROWS, *, types: Mapping[str, str] | None = None
) -> str:
    """Return a table of the first `most` rows with the number of the others; all rows have the same keys.

    `types` are shown below the names of the columns.
    """
    if not rows:
        return ""
    head = "".join(_head_html(name, rows, types) for name in rows[0])
    body = "".join(
        f"<tr>{''.join(_cell_html(value) for value in row.values())}</tr>" for row in itertools.islice(rows, most)
    )
    more = f'<div class="ph-note">… {len(rows) - most} more</div>' if len(rows) > most else ""
    table = f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
    return f'<div class="ph-scroll">{table}</div>{more}'


def tabs_html(tabs: Mapping[str, str]) -> str:
    """Return named parts of which one is visible, at first the first."""
    group = f"playhead-{next(_numbers)}-{id(tabs):x}"
    found = []
    for number, (name, part) in enumerate(tabs.items()):
        key = f"{group}-{number}"
        checked = ' checked="checked"' if not number else ""
        found.append(
            f'<input type="radio" name="{group}" id="{key}"{checked}/>'
            f'<label for="{key}">{escape(name)}</label><section>{part}</section>'
        )
    return f'<div class="ph-tabs">{"".join(found)}</div>'


def counts_html(counts: Iterable[tuple[str, int]], most: int = _MOST_CHIPS) -> str:
    """Return the count of each kind; kinds after the first `most` are folded."""
    chips = [f'<span class="ph-chip">{escape(name)} <b>{count:,}</b></span>' for name, count in counts]
    shown, folded = "".join(chips[:most]), chips[most:]
    if not folded:
        return f"<div>{shown}</div>"
    rest = "".join(folded)
    return f"<div>{shown}</div><details><summary>{len(folded)} more kinds</summary>{rest}</details>"


def moment_html(
    when: str,
    facts: Mapping[str, object],
    players: Sequence[Mapping[str, object]],
    resources: Mapping[int, Mapping[str, object]],
    unit_counts: Sequence[Mapping[str, object]],
    in_words: Callable[[object], str | None] = str,
) -> str:
    """Return a card of a moment: time, players with their resources, and units of each kind.

    Args:
        when: the time in words.
        facts: facts about the whole game.
        players: a row for each player, with ``player``, ``name`` and so on.
        resources: resources of each player, by number.
        unit_counts: rows of ``player``, ``unit_type`` and ``count``.
        in_words: returns a name as the game displays it; None for one that is not shown.
    """
    rows = []
    for player in players:
        number = player.get("player")
        held = resources.get(number, {}) if isinstance(number, int) else {}
        rows.append({**player, **{name: value for name, value in held.items() if name not in (*player, "tick")}})
    names = list(dict.fromkeys(name for row in rows for name in row))
    filled = [name for name in names if any(row.get(name) not in (None, "", [], {}) for row in rows)]
    parts = [title_html(when), facts_html(facts)]
    told = {name: str if name in _OF_PEOPLE else in_words for name in filled}
    parts.append(rows_html([{name: _told(row.get(name), told[name]) for name in filled} for row in rows]))
    by_player: dict[object, dict[str, int]] = {}
    for row in unit_counts:
        name = in_words(row["unit_type"])
        if name is not None:  # several types may have one name
            held = by_player.setdefault(row["player"], {})
            held[name] = held.get(name, 0) + int(str(row["count"]))
    known = {player.get("player"): player.get("name") for player in players}
    for number, counts in sorted(by_player.items(), key=lambda item: item[0] is None):
        total = sum(counts.values())
        whose = "units" if number is None else f"units of {known.get(number) or f'player {number}'}"
        whose = "units of nobody" if number is None and len(by_player) > 1 else whose
        parts += [title_html(whose, f"{total:,}"), counts_html(counts.items())]
    return page_html(*parts)


#: Columns whose texts people chose: they are no names of the game.
_OF_PEOPLE = frozenset({"name", "clan"})


def _told(value: object, in_words: Callable[[object], str | None]) -> object:
    """Return a value with its names, also those of a list, in words."""
    if isinstance(value, list | tuple):
        return [_told(each, in_words) for each in value if not isinstance(each, str) or in_words(each) is not None]
    return (in_words(value) or "") if isinstance(value, str) else value


def _words(name: str) -> str:
    return name.replace("_", " ")


def _head_html(name: str, rows: Sequence[Mapping[str, object]], types: Mapping[str, str] | None) -> str:
    """Return the head of a column, aligned right above numbers."""
    number = any(_is_number(row[name]) for row in rows[:_MOST_ROWS])
    place = ' class="ph-number"' if number else ""
    return f"<th{place}>{escape(name)}{_type(name, types)}</th>"


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _type(name: str, types: Mapping[str, str] | None) -> str:
    return f'<span class="ph-type">{escape(types[name])}</span>' if types and name in types else ""


def _cell_html(value: object) -> str:
    if _is_number(value):
        return f'<td class="ph-number">{_cell(value)}</td>'
    text = _cell(value)
    return f'<td class="ph-text">{text}</td>' if len(text) > _LONGEST_CELL // 3 else f"<td>{text}</td>"


def _cell(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value:.6g}"
    text = ", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)
    return escape(text if len(text) <= _LONGEST_CELL else f"{text[: _LONGEST_CELL - 1]}…")
