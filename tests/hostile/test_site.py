"""A site of matches whose names, maps and files are meant to break its pages and pictures."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.hostile.test_visible_text import HOSTILE, dangerous

from playhead.site.card import draw_card
from playhead.site.matches import VERSION, read_match
from playhead.site.pages import index_page, key_of, list_page, match_page, name_of, own_page

NAMES = (
    "new\nline",
    HOSTILE,
    "x" * 100_000,
    "</script><script>alert(1)</script>",
    '"><img src=x>',
    "$^_{\\frac",
    "\0",
)


def match_of(name: str) -> dict[str, Any]:
    people = [{"player": place, "name": f"{name}{place}", "side": name, "character": name} for place in range(4)]
    people += [{"player": 9, "name": name, "side": "ct", "character": name}]
    info = {"game": "cs2", "map": name, "start_time": name, "duration_seconds": 1.0}
    return {"id": "0", "file": name, "info": info, "players": people, "why_no_report": name}


@pytest.mark.long
@pytest.mark.parametrize("name", NAMES, ids=lambda name: ascii(name[:12]))
def test_names_break_neither_pages_nor_pictures(name: str) -> None:
    """A line end made the whole match fail, a long name was measured letter by letter for minutes."""
    match = match_of(name)
    pages = [
        index_page(name, [match], [(name, name)]),
        match_page(name, match, "https://example.org/"),
        list_page(name, name, "players", [(key_of(each), name_of(each), each) for each in match["players"]]),
        own_page(name, name, [(name, {"matches": 1})], [match], key_of(match["players"][0])),
    ]
    for page in pages:
        assert not dangerous(page)
        assert "<script>alert" not in page
        assert "<img" not in page
    if len(name) > 1000:
        assert all(len(name_of(each)) < 200 for each in match["players"])
        assert len({key_of(each) for each in match["players"]}) == len(match["players"])
    picture = draw_card(match)
    assert picture is None or picture.startswith(b"\x89PNG")


def test_facts_under_another_name_are_not_those_of_the_match(tmp_path: Path) -> None:
    """The id is a part of paths: facts in a folder from others could lead out of it."""
    path = tmp_path / "0.json"
    for id, found in (("0", True), ("../../evil", False), (None, False)):
        path.write_text(json.dumps({"version": VERSION, "id": id}))
        assert (read_match(path) is not None) == found
