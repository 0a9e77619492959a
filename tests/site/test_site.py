"""A site of samples: every link leads to a file, a second run reads nothing, names are no markup."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from tests.cli.in_process import run

import playhead
from playhead.site import build_site, card
from playhead.site.matches import read_match
from playhead.site.pages import feed_xml, file_name, index_page, matchups_page, sides_of, standings_page, title_of

pytestmark = pytest.mark.slow_interpreted


@pytest.fixture(scope="module")
def site(samples: Mapping[str, Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("site")
    (root / "bad.SC2Replay").write_bytes(b"MPQ\x1b" + bytes(50))
    made = build_site(
        playhead.scan([*samples.values(), root / "bad.SC2Replay"], jobs=0),
        root / "site",
        title="Our <season>",
        address="https://example.org/our",
        jobs=0,
    )
    assert (made.matches, made.made) == (4, 4)
    ((file, why),) = made.failed
    assert file == "bad.SC2Replay"
    assert why
    assert made.bytes == sum(path.stat().st_size for path in (root / "site").rglob("*") if path.is_file())
    return root / "site"


@pytest.mark.long
def test_every_link_leads_to_a_page(site: Path) -> None:
    pages = [path for path in site.rglob("*.html") if not path.name.endswith(".report.html")]
    assert len(pages) > 15
    for page in pages:
        text = page.read_text(encoding="utf-8")
        for link in re.findall(r'(?:href|src)="([^"]+)"', text):
            assert (page.parent / link).is_file(), f"{page.name}: {link}"
        assert "<season>" not in text
        assert "script-src 'sha256-" in text or "<script>" not in text


def test_the_list_for_programs(site: Path, samples: Mapping[str, Path]) -> None:
    matches = json.loads((site / "matches.json").read_text())
    assert {match["game"] for match in matches} == {"dota2", "hots", "sc2", "ddnet"}
    for match in matches:
        assert (site / match["page"]).is_file()
        assert match["players"]
        assert match["played_at"] is None or "T" in match["played_at"]
        sides = {each["side"] for each in match["players"] if each["result"] == "win"}
        assert match["winner_side"] is None or sides == {match["winner_side"]}
    (dota2,) = (match for match in matches if match["game"] == "dota2")
    assert {(each["side"], each["side_title"]) for each in dota2["players"]} >= {("radiant", "Radiant")}
    assert any(match["played_at"] for match in matches)


def test_pages_have_pictures_for_links(site: Path) -> None:
    pytest.importorskip("PIL", reason="pictures need the extra view")
    page = next((site / "matches").glob("*[0-9a-f].html")).read_text()
    (picture,) = re.findall(r'og:image" content="https://example.org/our/(matches/[^"]+)"', page)
    assert (site / picture).read_bytes().startswith(b"\x89PNG")


def test_a_second_run_makes_only_what_is_new(site: Path, samples: Mapping[str, Path]) -> None:
    facts = sorted((site / "matches").glob("*.json"))
    times = [path.stat().st_mtime_ns for path in facts]
    facts[0].write_text("damaged")
    assert read_match(facts[0]) is None
    again = build_site(playhead.scan([*samples.values()], jobs=0), site, jobs=0)
    assert (again.matches, again.made) == (4, 1)
    assert [path.stat().st_mtime_ns for path in facts][1:] == times[1:]
    other = build_site(playhead.scan([samples["sc2"]], jobs=0), site, jobs=0)
    assert (other.matches, other.made) == (4, 0)


def test_other_folders_are_left_alone(samples: Mapping[str, Path], tmp_path: Path) -> None:
    (tmp_path / "mine.txt").touch()
    found = run("site", samples["sc2"], "-o", tmp_path, "--jobs", "0")
    assert (found.returncode, [*tmp_path.iterdir()]) == (1, [tmp_path / "mine.txt"])
    assert "has other files than a site" in found.stderr
    found = run("site", samples["sc2"], "-o", tmp_path / "new", "--jobs", "0", "--url", "example.org")
    assert "expected an address such as" in found.stderr


def test_names_are_no_markup() -> None:
    people = [
        {"player": place, "name": name, "side": side, "result": result}
        for place, (name, side, result) in enumerate([("<b>&", "ct", "win"), ("Tom", "t", "loss")])
    ]
    match = {"id": "0", "info": {"game": "cs2", "map": '"><script>'}, "players": people}
    text = index_page("site", [match], [("<i>", "why")])
    assert "<b>" not in text
    assert '"><script>' not in text
    assert "<i>" not in text
    assert sides_of(match) == [("<b>&", [], True), ("Tom", [], False)]
    assert title_of(match) == '<b>& v Tom, "><script>'
    assert file_name("players", "A/..\\é") != file_name("players", "A/..\\e")
    assert re.fullmatch(r"players/[a-z0-9-]+\.html", file_name("players", "../../x"))


def test_pages_need_no_handlers_that_their_policy_forbids(site: Path) -> None:
    for path in (*site.glob("*.html"), *site.glob("players/*.html"), *site.glob("maps/*.html")):
        assert not re.search(r"<[^>]*\son\w+=", path.read_text(encoding="utf-8")), path


@pytest.mark.parametrize("fonts", [None, ()])
def test_pictures_have_no_boxes(fonts: tuple[str, ...] | None, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("PIL", reason="draws pictures")
    if fonts is not None:
        monkeypatch.setattr(card, "_FONTS", fonts)
    card._placed.cache_clear()
    parts = list(card._runs("C\u00e9line \u67ab\u7cd6 \U0010fffe x", 20))
    for part, font in parts:
        for letter in part.replace(" ", ""):
            assert bytes(font.getmask(letter)) != bytes(font.getmask("\U0010ffff")), letter
    text = "".join(part for part, _ in parts)
    assert text.startswith("C")
    assert text.endswith("x")
    if fonts == ():
        assert text == "Celine \u2026 \u2026 x"
    card._placed.cache_clear()


def _cells(page: str) -> list[list[str]]:
    rows = [re.findall(r'<td class="names">(.*?)</td>', row) for row in page.split("<tr>")]
    return [row for row in rows if row]


def test_standings_count_matches_and_titles_have_the_score() -> None:
    def match(number: int, won: int, clans: tuple[str, str]) -> dict[str, Any]:
        people = [
            {"player": each, "name": f"P{each}", "clan": clans[each // 5], "team": 2 + each // 5}
            | {"side": ("t", "ct")[each // 5], "result": "win" if each // 5 == won else "loss"}
            for each in range(10)
        ]
        info = {"game": "cs2", "map": "de_nuke", "played_at": f"2026-01-0{number}"}
        return {
            "id": str(number),
            "replay": str(number),
            "info": info,
            "players": people,
            "score": {"2": 13, "3": 7},
        }

    matches = [match(1, 0, ("Anvil", "Hammer")), match(2, 1, ("Anvil", "Hammer")), match(3, 0, ("Anvil", "Rust"))]
    assert title_of(matches[0]) == "Anvil v Hammer 13–7, Nuke"
    page = standings_page("League", matches)
    cells = [re.findall(r'<td class="names">(.*?)</td>', row) for row in page.split("<tr>")[2:]]
    assert cells == [
        ["Anvil", "2–1", "67 %", "W L W", "Hammer 1–1, Rust 1–0"],
        ["Hammer", "1–1", "", "L W", "Anvil 1–1"],
        ["Rust", "0–1", "", "L", "Anvil 0–1"],
    ]
    page = matchups_page("League", matches)
    assert [row[:2] for row in _cells(page)] == [
        ["Nuke: Anvil", "2–1"],
        ["Nuke: Hammer", "1–1"],
        ["Nuke: Rust", "0–1"],
    ]
    for each in matches:
        for person in each["players"]:
            person["character"] = "Zerg" if person["team"] == 2 else "Terran"
    assert _cells(matchups_page("League", matches))[:2] == [
        ["Zerg", "2–1", "67 %", "W L W", "Terran 2–1"],
        ["Terran", "1–2", "33 %", "L W L", "Zerg 1–2"],
    ]
    feed = feed_xml("League", matches, "https://example.org/")
    assert feed.count("<item>") == 3
    assert "https://example.org/matches/3.html" in feed


def test_a_side_without_a_name_has_those_of_its_players() -> None:
    def match(size: int) -> dict[str, Any]:
        people = [{"player": each, "name": f"P{each}", "team": each // size} for each in range(2 * size)]
        return {"players": people}

    assert [(label, names) for label, names, _ in sides_of(match(2))] == [("P0, P1", []), ("P2, P3", [])]
    assert [label for label, *_ in sides_of(match(3))] == ["P0, P1 +1", "P3, P4 +1"]
    assert [label for label, *_ in sides_of(match(1))] == ["P0", "P1"]
