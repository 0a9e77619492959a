"""Names that a caller gives: a string is one name wherever several are accepted."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from playhead.runtime.typing import Any, TypeVar

_T = TypeVar("_T")


def listed(names: str | Iterable[str]) -> list[str]:
    """Return names as a list; a string is one name."""
    return [names] if isinstance(names, str) else list(names)


def flat(names: Iterable[Any]) -> list[Any]:
    """Return names as a list; ``f("a", "b")`` and ``f(["a", "b"])`` give the same."""
    out: list[Any] = []
    for one in names:
        if isinstance(one, list | tuple | set | frozenset):
            out.extend(one)
        else:
            out.append(one)
    return out


def one_name(name: object, several: str) -> str:
    """Return `name` if it is a string.

    Raises:
        TypeError: it is not; the message names the method for several, `several`.
    """
    if isinstance(name, str):
        return name
    raise TypeError(f"expected one name, got {type(name).__name__} {name!r}; for several: {several}")


#: How many names a message suggests.
_NEAREST = 3
#: Words of names for what people ask by another word.
_SAME = {
    word: others
    for asked, *others in (
        line.split()
        for line in (
            "death,deaths,dead,die player_killed kills killed died",
            "kill,killed,frag,frags player_killed kills killed died",
            "destroyed died killed destroyed",
            "message,messages,say,said,text chat",
            "buy,purchase,purchased,purchases item_bought bought purchase item_events item",
            "quit,disconnect,disconnected,leave left disconnected",
            "join,connect,connected joined connected",
            "build,built,construct started build",
            "hp,life health",
            "money,cash money gold balance",
            "position,location,coordinates,movement positions",
            "target victim_name victim_hero victim",
            "killer attacker_name attacker_hero attacker",
            "score,scoreboard,result,results stats score winner",
        )
    )
    for word in asked.split(",")
}


def spaced(name: str) -> str:
    """Return a name of a game with blanks between its words: Silver City for ``SilverCity``."""
    import re  # which every start would pay for

    return re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name)


#: Where else names are that are looked for.
_ELSEWHERE = {
    ("option", "--against"): "`playhead sc2 coach`, `playhead report` and `playhead view` compare two games",
    ("table", "problems"): "the attribute `problems` has what could not be read; SQL has it as a table",
    ("table", "lapses"): "`playhead sc2 coach --json` makes it, of tables supply_blocks, production and injects",
    ("table", "standing"): "`playhead sc2 coach --json` makes it, of tables player_series, bases and build_order",
    ("table", "measures"): "`playhead sc2 coach --json` makes it; its column known_by names the tables",
    ("table", "steps"): "`playhead sc2 coach --against --json` makes it, of table build_order",
    ("table", "curves"): "`playhead sc2 coach --against --json` makes it, of table player_series",
}
#: Where all names of a kind are listed.
_LISTED = (
    ("column of", "`DESCRIBE` in SQL and docs/tables list"),
    ("table", "`.tables` and `playhead tables` list"),
    ("events", "`.event_kinds` and `playhead events --kinds` list"),
    ("fact", "`dir()` lists"),
)
#: More names than this are not listed in a message.
_FEW = 24


def unknown_name(asked: str, known: Iterable[str], what: str, noun: str = "") -> str:
    """Return the error message for an unknown name: similar names, or else the nearest three (all, if there are
    few), and where all are listed. `noun` is the kind of the names, if `what` does not say it."""
    import difflib

    known = sorted({*known})
    if (what, asked) in _ELSEWHERE:
        return f"no {what} {asked!r}: {_ELSEWHERE[what, asked]}"
    hint = nearest_names(asked, known)
    if not hint and len(known) <= _FEW:
        return f"no {what} {asked!r}; there are {', '.join(known) or 'none'}"
    if not hint:
        hint = f"the nearest are {', '.join(difflib.get_close_matches(asked, known, n=_NEAREST, cutoff=0))}"
    where = next((place for kind, place in _LISTED if kind in (noun or what)), "")
    return f"no {what} {asked!r}; {hint}" + (f" ({where} all)" if where else "")


def nearest_names(asked: str, known: Iterable[str]) -> str:
    """Return ``did you mean …?`` with up to three names that are similar, in any case; empty without any.

    For ``attacker``, ``attacker_name`` comes first and ``attacker_x`` after similar names.
    """
    import difflib
    import re

    folded = {name.casefold(): name for name in known}
    asked = asked.casefold()
    others = folded.keys() - {f"{asked}_{axis}" for axis in "xyz"}
    near = [folded[name] for name in difflib.get_close_matches(asked, sorted(others), n=_NEAREST, cutoff=0.65)]
    words = [
        word for word in re.split(r"\W|_", asked) if len(word) > 2 or word in _SAME
    ]  # `kill` is in `player_killed`
    meant = _holding([other for word in words for other in _SAME.get(word, ())], folded)
    near = list(dict.fromkeys([*meant, *near, *_holding(words, folded)]))
    near.sort(key=lambda name: name.casefold() != f"{asked}_name")
    return f"did you mean {any_of(near[:_NEAREST])}?" if near else ""


def _holding(words: Sequence[str], folded: Mapping[str, str]) -> list[str]:
    """Return the names of which a part begins with one of the words, in the order of the words."""
    parts = {kind: f"_{name}" for name, kind in folded.items()}
    return [kind for word in words for kind, name in parts.items() if f"_{word}" in name]


def any_of(names: Sequence[str]) -> str:
    """Return names as people list alternatives: ``a``, ``a or b``, ``a, b or c``."""
    return " or ".join(filter(None, (", ".join(names[:-1]), names[-1])))


def counted(number: int, singular: str, plural: str | None = None) -> str:
    """Return a number with its noun: ``1 replay``, ``2 replays``; `plural` is for nouns without an s."""
    return f"{number} {singular if number == 1 else plural or singular + 's'}"


def matching(text: str, named: Iterable[tuple[_T, Sequence[str | None]]]) -> list[_T]:
    """Return the things of whose words one equals `text`, ignoring case; without any, those that contain it."""
    wanted = text.casefold()
    words = [(thing, [word.casefold() for word in names if word]) for thing, names in named]
    whole = [thing for thing, names in words if wanted in names]
    return whole or [thing for thing, names in words if any(wanted in name for name in names)]


def ordered_matchup(text: str) -> str:
    """Return a matchup with teams, and races in each, in alphabetical order, as `info` has it: TvP is PvT."""
    return "v".join(sorted("".join(sorted(team)) for team in text.split("v")))
