"""The page in a real browser: best moment, kills, rounds, ranges, keyboard, links, clips, two side by side."""

from __future__ import annotations

import base64
import re
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.samples.games import write_match
from tests.view.pages import DRAWING, Page
from tests.view.test_report import packed

import playhead
from playhead.cs2.sources.words import known_title
from playhead.web.shelf import open_match

pytestmark = pytest.mark.slow_interpreted


@pytest.fixture(scope="module")
def cs2(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A written match of CS2 with rounds."""
    (path, *_) = write_match("cs2", tmp_path_factory.mktemp("match"), 4)
    return path


def state_of(page: Any) -> str:
    """The part of the address that holds what is seen."""
    return str(page.evaluate("location.hash"))


@pytest.mark.long
def test_it_opens_on_the_best_moment(cs2: Path, serve: Callable[..., str], shown: Callable[..., Page]) -> None:
    viewed, opening = shown(), open_match(cs2).opening()
    assert opening is not None
    page = viewed.open(serve(cs2), at="")
    page.wait_for_selector(".intro")
    viewed.settle()
    assert viewed.tick() == opening["tick"]
    assert f"Opened on {opening['label']}." in page.locator(".intro").inner_text()
    viewed.shoot("cs2-opening")
    page.get_by_role("button", name="from the start").click()
    viewed.settle()
    assert viewed.tick() == 0
    assert page.locator(".intro").count() == 0


def test_rounds_and_kills(cs2: Path, serve: Callable[..., str], shown: Callable[..., Page]) -> None:
    viewed, replay = shown(), playhead.open(cs2)
    page = viewed.open(serve(cs2))
    page.wait_for_selector(".bands button")
    chapters = open_match(cs2).story()["chapters"]
    chips = page.locator(".bands button")
    assert [text.split(",")[0].strip() for text in chips.all_inner_texts()] == [each["name"] for each in chapters]
    chips.nth(2).click()
    viewed.settle()
    assert viewed.tick() == chapters[2]["opens"] > chapters[2]["tick"]
    assert chips.nth(2).get_attribute("aria-pressed") == "true"
    viewed.press("Home", "x")
    (kill, *_) = replay.events("player_killed")
    names = {player.player: player.name for player in replay.players}
    line = page.locator(".killfeed li").last
    assert viewed.tick() == kill.tick
    assert line.locator("b").all_inner_texts() == [names[kill.player], names[kill.payload["victim_player"]]]
    assert line.locator(".weapon").inner_text().startswith(known_title(kill.payload["weapon"]))
    assert re.search(r"\+[\d,]+ equipment|even", page.locator(".lead").inner_text())
    viewed.shoot("cs2-kill")


def until(page: Any, script: str) -> None:
    """Wait until a script is true; the policy of the page forbids `wait_for_function`."""
    for _ in range(200):
        if page.evaluate(script):
            return
        page.wait_for_timeout(25)
    raise AssertionError(f"never true: {script}")


def test_voices_play_beside_the_clock(cs2: Path, serve: Callable[..., str], shown: Callable[..., Page]) -> None:
    pytest.importorskip("av")
    viewed, match = shown(), open_match(cs2)
    assert match.story()["speakers"] == ["Flint"]
    page = viewed.open(serve(cs2))
    page.evaluate(
        "(() => { const sound = window.Audio; window.sounds = [];"
        " window.Audio = function (url) { const made = new sound(url);"
        " window.sounds.push(made); return made; } })()"
    )
    choice = page.get_by_label("voice")
    assert choice.locator("option").all_inner_texts() == ["off", "Flint"]
    choice.select_option("0")
    until(page, "sounds.length == 1 && sounds[0].duration > 0")
    viewed.press("5")
    until(page, f"Math.abs(sounds[0].currentTime - {viewed.tick() / match.rate}) < 0.3")
    choice.select_option("off")
    until(page, "sounds[0].paused && !sounds[0].error")


def test_the_scoreboard_sorts(cs2: Path, serve: Callable[..., str], shown: Callable[..., Page]) -> None:
    viewed, replay = shown(), playhead.open(cs2)
    page = viewed.open(serve(cs2))
    viewed.press("5")
    viewed.tab("players")
    page.get_by_role("button", name="scoreboard").click()
    viewed.settle()
    moment = {row["player"]: row for row in replay.at(viewed.tick()).players}
    page.locator(".board thead").get_by_role("button", name="money").click()
    viewed.settle()
    for side in (2, 3):
        expected = sorted((row["money"] for row in moment.values() if row["team"] == side), reverse=True)
        body = page.locator(".board tbody").nth(side - 2)
        column = page.locator(".board thead th").all_inner_texts().index("money")
        assert [
            int(re.sub(r"[$,]", "", row.locator("td").nth(column - 1).inner_text()))
            for row in body.locator("tr").all()[1:]
        ] == expected
    viewed.check_axe("scoreboard")
    viewed.shoot("cs2-board")


@pytest.mark.long
def test_all_that_is_seen_is_in_the_link(cs2: Path, serve: Callable[..., str], shown: Callable[..., Page]) -> None:
    viewed = shown()
    page = viewed.open(serve(cs2))
    viewed.press("5")
    page.click(".layers summary")
    page.get_by_role("button", name="trails").click()
    viewed.tab("players")
    page.locator(".detail .eye input").nth(1).click()
    page.get_by_label("speed").select_option("8")
    viewed.press("(")
    page.evaluate("document.activeElement.blur()")
    viewed.press("(", "7", ")")
    viewed.tab("tables")
    viewed.settle()
    page.locator(".bar select").select_option("kills")
    page.get_by_label("only rows with").fill("glock")
    page.get_by_label("only rows with").press("Enter")
    viewed.settle()
    page.get_by_role("button", name="tick", exact=True).click()
    viewed.settle()
    address = page.evaluate("location.href")
    for part in (
        "layers=trails",
        "hide=1",
        "speed=8",
        "range=",
        "tab=tables",
        "table=kills",
        "rows=glock",
        "sort=tick",
    ):
        assert part in address
    page.get_by_role("button", name="all", exact=True).click()  # the map by the things of this moment
    viewed.settle()
    drawing, cells = page.evaluate(DRAWING), page.locator(".grid td").all_inner_texts()
    other = shown()
    other.page.goto(address)
    other.page.wait_for_selector(".theatre")
    other.settle()
    other.page.get_by_role("button", name="all", exact=True).click()
    other.settle()
    assert other.page.locator(".grid td").all_inner_texts() == cells
    assert other.page.evaluate(DRAWING) == drawing
    assert state_of(other.page) == state_of(page)
    # Editing the address of an open page shows the other place.
    other.page.evaluate("location.hash = '#t=100&tab=events'")
    other.page.wait_for_selector(".events")
    other.settle()
    assert other.tick() == 100


def test_a_range_filters_tables_events_and_the_timeline(
    cs2: Path, serve: Callable[..., str], shown: Callable[..., Page]
) -> None:
    viewed, replay = shown(), playhead.open(cs2)
    page = viewed.open(serve(cs2))
    box = page.locator(".timeline").bounding_box()
    left, width = box["x"] + 104, box["width"] - 116
    page.keyboard.down("Shift")
    page.mouse.move(left + width * 0.3, box["y"] + 40)
    page.mouse.down()
    page.mouse.move(left + width * 0.6, box["y"] + 40, steps=4)
    page.mouse.up()
    page.keyboard.up("Shift")
    viewed.settle()
    first, last = (int(tick) for tick in re.findall(r"range=(\d+)%2C(\d+)", state_of(page))[0])
    assert first == pytest.approx(viewed.last * 0.3, rel=0.02)
    assert last == pytest.approx(viewed.last * 0.6, rel=0.02)
    viewed.tab("tables")
    page.locator(".bar select").select_option("kills")
    viewed.settle()
    kills = [row["tick"] for row in replay.table("kills").to_pylist() if first <= row["tick"] <= last]
    assert page.locator("[data-rows]").get_attribute("data-rows") == str(len(kills)) != "0"
    viewed.tab("events")
    viewed.settle()
    ticks = page.locator(".event time").all_inner_texts()
    assert ticks
    assert "in the range" in page.locator(".events [role=status]").inner_text()
    page.get_by_role("button", name="zoom to it").click()
    viewed.settle()
    assert f"span={first}%2C{last}" in state_of(page)
    page.get_by_label("no range").click()
    page.get_by_label("zoom out of the timeline").click()
    viewed.settle()
    viewed.shoot("cs2-range")


def test_the_keyboard_reaches_everything(cs2: Path, serve: Callable[..., str], shown: Callable[..., Page]) -> None:
    viewed, replay = shown(), playhead.open(cs2)
    page = viewed.open(serve(cs2))
    page.get_by_label("speed").focus()
    page.get_by_label("speed").select_option("2")
    page.keyboard.press("Space")  # it plays, though the list has the focus
    page.wait_for_function("() => document.querySelector('.play').ariaLabel === 'stop'")
    page.keyboard.press("Space")
    viewed.settle()
    viewed.tab("players")
    page.locator("#panel").focus()
    speed = page.get_by_label("speed").input_value()
    viewed.press("ArrowDown")
    assert page.get_by_label("speed").input_value() == speed  # the panel scrolls
    viewed.tab("tables")
    page.locator(".bar select").select_option("kills")
    viewed.settle()
    page.locator(".grid").focus()
    viewed.press("ArrowDown", "ArrowDown", "ArrowDown", "Enter")
    assert viewed.tick() == replay.table("kills")["tick"].to_pylist()[2]
    viewed.tab("events")
    viewed.settle()
    page.locator(".list").focus()
    viewed.press("ArrowDown")
    viewed.press("ArrowDown")
    assert page.evaluate("document.activeElement.className").startswith("event")
    assert (
        page.locator("button").evaluate_all(
            "all => all.filter((one) => /[⏮⏭❚▶☰↑↓]/u.test(one.textContent)).length"
        )
        == 0
    )


def test_builds_stand_side_by_side(
    samples: dict[str, Path], serve: Callable[..., str], shown: Callable[..., Page]
) -> None:
    viewed = shown()
    page = viewed.open(serve(samples["sc2"]))
    viewed.tab("builds")
    viewed.settle()
    story = open_match(samples["sc2"]).story()
    told = zip(*(story["tasks"][name] for name in ("bands", "player", "tick", "end")), strict=True)
    # One player's town hall stands until the end, the other's is lost.
    assert sorted(each for each in told if each[0] == "bases") == [("bases", 1, 0, 6720), ("bases", 2, 0, 6000)]
    bases = page.get_by_role("group", name="bases").get_by_role("button")
    assert bases.all_inner_texts() == ["Orbital Command", "Lair"]
    builds = story["builds"]["players"]
    row = page.locator(".builds li:first-child").all_inner_texts()
    assert [text.split(maxsplit=2)[2] for text in row] == [held["name"][0] for held in builds[:2]]
    assert [float(text.split()[0]) for text in row] == [held["supply"][0] for held in builds[:2]]
    page.locator(".builds li button").nth(3).click()
    viewed.settle()
    assert viewed.tick() in {tick for held in builds for tick in held["tick"]}
    viewed.shoot("sc2-builds")


def test_two_recordings_side_by_side(
    samples: dict[str, Path], serve: Callable[..., str], shown: Callable[..., Page]
) -> None:
    viewed = shown(width=1600)
    viewed.page.goto(serve(samples["sc2"], samples["teehistorian"]) + "#m=0&with=1&t=0")
    viewed.page.wait_for_selector(".pair iframe")
    frames = [viewed.page.frame_locator(".pair iframe").nth(place) for place in (0, 1)]
    for frame in frames:
        frame.locator(".timeline").wait_for()
    frames[0].locator("canvas.map").press("ArrowRight")
    frames[1].locator('output.now [title="tick 250"]').wait_for()  # five seconds later there too
    frames[0].locator('output.now [title="tick 112"]').wait_for()
    viewed.check_axe("side by side")
    viewed.shoot("two")


def test_a_file_is_dropped_on_the_page(
    samples: dict[str, Path], serve: Callable[..., str], shown: Callable[..., Page]
) -> None:
    viewed = shown()
    page = viewed.open(serve(samples["sc2"], fresh=True))
    drop = """([name, bytes]) => {
      const data = new DataTransfer();
      data.items.add(new File([new Uint8Array(bytes)], name));
      window.dispatchEvent(new DragEvent('drop', {dataTransfer: data, cancelable: true}));
    }"""
    page.evaluate(drop, ["../run.teehistorian", list(samples["teehistorian"].read_bytes())])
    page.wait_for_function("() => document.querySelector('h1')?.title.includes('run.teehistorian')")
    viewed.settle()
    viewed.wrong.clear()
    page.evaluate(drop, ["notes.txt", [1, 2, 3]])
    page.get_by_text("notes.txt is not a replay").wait_for()
    viewed.wrong.clear()  # the console says that the server refused it


@pytest.mark.long
def test_what_is_shared(cs2: Path, serve: Callable[..., str], shown: Callable[..., Page], tmp_path: Path) -> None:
    """A film, a card, and one file with the range."""
    viewed = shown()
    page = viewed.open(serve(cs2), at="#t=2400&range=2400,2528&speed=2")
    page.get_by_role("button", name="Share", exact=True).click()
    sheet = page.get_by_role("dialog", name="share")
    assert "this machine alone" in sheet.inner_text()
    with page.expect_download() as card:
        sheet.get_by_role("button", name="card").click()
    data = Path(card.value.path()).read_bytes()
    assert (data[:4], struct.unpack_from(">II", data, 16)) == (b"\x89PNG", (1200, 630))
    with page.expect_download() as whole:
        sheet.get_by_role("link", name="one file").click()
    report = tmp_path / "report.html"  # under its own name the browser would show it as text
    report.write_bytes(Path(whole.value.path()).read_bytes())
    printed = page.context.new_page()
    printed.goto(report.as_uri() + "#t=2400&tab=summary")
    printed.wait_for_selector(".mapbox", state="attached")
    # The moment, and what decided the match.
    assert len(re.findall(rb"/Type\s*/Page\b", printed.pdf(prefer_css_page_size=True))) == 2
    assert printed.locator(".mapbox").count() == 1
    printed.close()
    assert packed(report)["answers"]["heat"]["cells"]
    assert whole.value.suggested_filename == f"{cs2.stem}.html"
    assert (
        packed(report)["answers"]["summary"]["first_tick"],
        '<meta property="og:title"' in report.read_text(),
    ) == (
        2400,
        True,
    )
    if not sheet.get_by_role("button", name="clip").count():
        pytest.skip("this browser cannot encode films")
    with page.expect_download(timeout=60_000) as film:
        sheet.get_by_role("button", name="clip").click()
    assert film.value.suggested_filename == f"{cs2.stem}-2400.mp4"
    # The sheet tells how long it took; a busy machine is no measure, so any such time holds.
    assert re.fullmatch(r"1 s filmed in \d+\.\d s", sheet.get_by_role("status").inner_text())
    data = Path(film.value.path()).read_bytes()
    blank = page.context.new_page()  # the policy of the page allows no films
    seconds, *size = blank.evaluate(
        """async (text) => {
          const video = document.createElement('video');
          video.src = 'data:video/mp4;base64,' + text;
          await new Promise((resolve, reject) => { video.onloadeddata = resolve; video.onerror = reject; });
          return [video.duration, video.videoWidth, video.videoHeight];
        }""",
        base64.b64encode(data).decode(),
    )
    assert seconds == pytest.approx(1.0, abs=0.1)
    assert size == [1280, 720]
    blank.close()
    viewed.settle()  # a page behind another draws nothing
    assert viewed.tick() == 2400
    page.evaluate("location.hash = '#t=2400&range=2400,9000'")
    page.get_by_role("button", name="Share", exact=True).click()
    page.get_by_role("button", name="clip").click()
    page.get_by_role("button", name="cancel").click()
    page.get_by_role("button", name="clip").wait_for()
    viewed.settle()


def test_a_failed_stretch_does_not_stop_the_rest(
    samples: dict[str, Path], serve: Callable[..., str], shown: Callable[..., Page]
) -> None:
    viewed = shown()
    page, viewed.spent = viewed.page, True
    page.route("**/state?stretch=1", lambda route: route.fulfill(status=500, body='{"error": "no luck"}'))
    viewed.page.goto(serve(samples["source2"]) + "#t=280&speed=8")
    page.wait_for_selector(".theatre")
    viewed.settle()
    page.locator(".play").click()
    page.wait_for_function("() => Number(document.querySelector('.timeline').ariaValueNow) > 700")
    viewed.wrong.clear()  # the console tells of the refused requests


@pytest.mark.parametrize(("width", "height"), [(844, 390), (640, 400)], ids=["landscape", "zoom 200 %"])
def test_low_windows(
    samples: dict[str, Path], serve: Callable[..., str], shown: Callable[..., Page], width: int, height: int
) -> None:
    viewed = shown(width=width, height=height)
    page = viewed.open(serve(samples["sc2"]))
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.locator("canvas.map").bounding_box()["height"] >= 200
    page.locator("#developers").scroll_into_view_if_needed()
    viewed.tab("problems")  # nothing covers the panels
    viewed.settle()
    viewed.shoot(f"low-{width}")


def test_a_notebook_shows_it(samples: dict[str, Path], shown: Callable[..., Page], tmp_path: Path) -> None:
    view = playhead.open(samples["sc2"]).view(at=2240, height=500)
    path = tmp_path / "notebook.html"
    path.write_text(f"<!doctype html><title>notebook</title>{view._repr_html_()}", encoding="utf-8")
    viewed = shown()
    viewed.page.goto(path.as_uri())
    frame = viewed.page.frame_locator("iframe")
    frame.locator('output.now [title="tick 2240"]').wait_for()
    top = viewed.page.locator("iframe").bounding_box()["y"]
    line = frame.locator(".line").bounding_box()
    assert line["y"] + line["height"] - top <= 500, "score, map and timeline are in the frame"
    frame.locator(".play").click()
    frame.locator(".play[aria-label=stop]").wait_for()
    with pytest.raises(ValueError, match="height from 200 to 4000"):
        playhead.open(samples["sc2"]).view(height=10)


@pytest.mark.long
def test_a_long_list_sorts_and_finds(
    samples: dict[str, Path], serve: Callable[..., str], shown: Callable[..., Page], tmp_path: Path
) -> None:
    data = samples["teehistorian"].read_bytes()
    for number in range(501):
        (tmp_path / f"run{number}.teehistorian").write_bytes(data)
    (tmp_path / "game.SC2Replay").write_bytes(samples["sc2"].read_bytes())
    viewed = shown()
    page = viewed.page
    page.goto(serve(tmp_path))
    rows = page.locator(".files li")
    page.get_by_role("button", name="show 2 more").click()
    assert rows.count() == 502
    status = page.locator("[role=status]")
    page.wait_for_function("() => !document.querySelector('[role=status]').textContent.includes('not read')")
    replay = playhead.open(samples["sc2"])
    names = [player.name for player in replay.players if player.name]
    page.get_by_label("find a recording").fill(f"{names[0]} {replay.info.map}")
    assert rows.count() == 1
    assert "game.SC2Replay" in rows.inner_text()
    viewed.check_axe("list")
    page.get_by_label("find a recording").fill("nobody at all")
    assert "nothing found" in status.inner_text()
    page.get_by_label("find a recording").fill("")
    page.get_by_label("order").select_option("size")
    sizes = sorted([len(data)] * 501 + [samples["sc2"].stat().st_size], reverse=True)
    assert ("game.SC2Replay" in rows.first.inner_text()) == (sizes[0] != len(data))
    page.get_by_label("order").select_option("name")
    page.get_by_role("button", name="reverse").click()
    assert "run500." in rows.first.inner_text()
