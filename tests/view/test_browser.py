"""The page in a real browser: what it shows is what the library says."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.view.pages import AXE, DRAWING, Page

import playhead
from playhead.view import MapFile, write_report

pytestmark = [pytest.mark.slow_interpreted, pytest.mark.one_of("opened")]

FORMATS = ("source2", "sc2", "teehistorian")


@pytest.fixture(params=FORMATS)
def opened(
    request: pytest.FixtureRequest, samples: dict[str, Path], serve: Callable[..., str], shown: Callable[..., Page]
) -> tuple[Page, playhead.Replay]:
    """The sample of a format, shown by the server, and read by the library."""
    path = samples[request.param]
    viewed = shown()
    viewed.open(serve(path))
    return viewed, playhead.open(path)


def _ink(page: Any) -> int:
    """How many pixels of the map are not of its most frequent colours."""
    return int(
        page.evaluate(
            """() => {
              const map = document.querySelector('canvas.map');
              const data = map.getContext('2d').getImageData(0, 0, map.width, map.height).data;
              let vivid = 0;
              for (let at = 0; at < data.length; at += 4) {
                const [red, green, blue] = [data[at], data[at + 1], data[at + 2]];
                if (Math.max(red, green, blue) - Math.min(red, green, blue) > 80) vivid++;
              }
              return vivid;
            }"""
        )
    )


@pytest.mark.long
def test_it_opens_and_shows_the_players(opened: tuple[Page, playhead.Replay]) -> None:
    viewed, replay = opened
    last = replay.info.duration_ticks
    assert last is not None
    viewed.press("5")
    assert viewed.tick() == last // 2
    moment = replay.at(last // 2)
    names = viewed.page.locator(".player .name").all_inner_texts()
    assert names == [row["name"] for row in moment.players]
    assert moment.displayed in viewed.page.locator("output.now").inner_text()
    texts = viewed.page.locator(".player").all_inner_texts()
    for row, text in zip(moment.players, texts, strict=True):
        for key, shown in (("net_worth", "{:,}"), ("minerals", "minerals\n{:,}"), ("workers", "workers\n{:,}")):
            if row.get(key):
                assert shown.format(row[key]) in text.lower()
        if row.get("kills") is not None:
            assert f"{row['kills']} · {row['deaths']}" in text
    viewed.tab("players")
    viewed.settle()
    for row, text in zip(moment.players, viewed.page.locator(".detail").all_inner_texts(), strict=True):
        if row.get("direction") is not None:
            assert f"runs\n{('← left', 'none', 'right →')[row['direction'] + 1]}" in text
        if row.get("kills") is not None:
            assert f"kills\n{row['kills']}" in text
    assert _ink(viewed.page) > 60
    viewed.shoot(f"{replay.format}-players")


def test_keys_and_the_address(opened: tuple[Page, playhead.Replay]) -> None:
    viewed, replay = opened
    last, rate = replay.info.duration_ticks, replay.info.ticks_per_second
    assert last is not None
    assert rate is not None
    viewed.press("0", ".", ".", ".", ",")
    assert viewed.tick() == 2
    viewed.press("Home", "ArrowRight")
    assert viewed.tick() == int(5 * rate)
    viewed.press("m", "End")
    assert viewed.tick() == last
    viewed.press("[")
    assert viewed.tick() == int(5 * rate)
    address = viewed.page.url
    assert f"t={int(5 * rate)}" in address
    viewed.page.goto("about:blank")
    viewed.open(address)
    assert viewed.tick() == int(5 * rate)
    viewed.press("?")
    assert "follow what is chosen" in viewed.page.locator(".sheet").inner_text()
    viewed.press("Escape")
    assert viewed.page.locator(".sheet").count() == 0


def test_it_plays_in_real_time(opened: tuple[Page, playhead.Replay]) -> None:
    viewed, replay = opened
    rate = replay.info.ticks_per_second
    assert rate is not None
    page, viewed.spent = viewed.page, True
    viewed.press("0")
    page.evaluate(
        "{ const real = requestAnimationFrame; window.aRealFrame = () => new Promise((done) => real(done)); }"
    )
    page.clock.install()  # the page's own clock: it goes on when the test says so
    page.clock.pause_at(page.evaluate("Date.now()") + 10_000)
    page.evaluate("window.aRealFrame()")  # the frame that was asked for before still tells the real time
    page.clock.run_for(100)
    page.keyboard.press("Space")
    page.clock.run_for(1000)
    page.clock.run_for(1000)
    page.keyboard.press("Space")
    page.clock.resume()
    viewed.settle()
    assert abs(viewed.tick() / rate - 2.0) < 0.1


def test_a_click_on_the_timeline_seeks(opened: tuple[Page, playhead.Replay]) -> None:
    viewed, replay = opened
    box = viewed.page.locator(".timeline").bounding_box()
    viewed.page.mouse.click(box["x"] + box["width"] * 0.75, box["y"] + 8)
    viewed.settle()
    last = replay.info.duration_ticks
    assert last is not None
    assert 0.65 * last < viewed.tick() < 0.78 * last


def test_events_filter_and_seek(opened: tuple[Page, playhead.Replay]) -> None:
    viewed, replay = opened
    page = viewed.page
    viewed.tab("events")
    viewed.settle()
    buttons = {button.get_attribute("data-kind"): button for button in page.locator(".filters button").all()}
    counts = {kind: int(button.inner_text().rsplit(" ", 1)[1]) for kind, button in buttons.items() if kind}
    events = list(replay.events(*counts))
    status = page.locator(".events [role=status]").inner_text()
    hidden = re.search(r"(\d+) of the game's bookkeeping", status)
    assert sum(counts.values()) + (int(hidden[1]) if hidden else 0) == len(events)
    assert all(count <= sum(event.kind == kind for event in events) for kind, count in counts.items())
    only = next(kind for kind, count in counts.items() if count)
    for kind in counts:
        if kind != only:
            page.locator(f".filters [data-kind={kind}]").click()
    viewed.settle()
    chosen = [event for event in events if event.kind == only]
    assert page.locator(".event").count() == len(chosen)
    page.locator(".event").last.click()
    viewed.settle()
    assert viewed.tick() == chosen[-1].tick
    page.locator("#search").fill("no such words anywhere")
    viewed.settle()
    assert page.locator(".event").count() == 0
    viewed.shoot(f"{replay.format}-events")


@pytest.mark.long
def test_tables_and_sql(opened: tuple[Page, playhead.Replay]) -> None:
    viewed, replay = opened
    page = viewed.page
    viewed.tab("tables")
    viewed.settle()
    table = replay.table("events")
    assert page.locator("[data-rows]").get_attribute("data-rows") == str(table.num_rows)
    shown_ticks = [
        int(text) for text in page.locator(".grid tbody tr:not([aria-hidden]) td:first-child").all_inner_texts()
    ]
    assert shown_ticks == table["tick"].to_pylist()[: len(shown_ticks)]
    page.get_by_role("button", name="tick", exact=True).click()
    page.get_by_role("button", name=re.compile("^tick")).click()
    viewed.settle()
    first = page.locator(".grid tbody tr:not([aria-hidden]) td:first-child").first
    assert int(first.inner_text()) == max(table["tick"].to_pylist())
    viewed.shoot(f"{replay.format}-tables")
    page.locator(".sql textarea").fill("SELECT count(*) AS n, min(tick) AS first FROM events")
    page.get_by_role("button", name="run SQL").click()
    viewed.settle()
    cells = page.locator(".grid tbody tr:not([aria-hidden]) td").all_inner_texts()
    assert [int(cell) for cell in cells] == [table.num_rows, min(table["tick"].to_pylist())]


@pytest.mark.long
def test_wrong_sql_says_so(
    samples: dict[str, Path], serve: Callable[..., str], shown: Callable[..., Page]
) -> None:
    viewed = shown()
    page = viewed.open(serve(samples["sc2"]))
    viewed.tab("tables")
    page.locator(".sql textarea").fill("SELECT nothing FROM events")
    page.get_by_role("button", name="run SQL").click()
    page.wait_for_selector("[role=alert]")
    assert "nothing" in page.locator("[role=alert]").inner_text()
    assert len(viewed.wrong) == 1, "the console says that the server refused it"
    viewed.wrong.clear()


def test_a_unit_is_followed_and_inspected(
    samples: dict[str, Path], serve: Callable[..., str], shown: Callable[..., Page]
) -> None:
    viewed, replay = shown(), playhead.open(samples["source2"])
    page = viewed.open(serve(samples["source2"]))
    viewed.press("5")
    page.locator(".player .name").first.click()
    viewed.tab("inspect")
    viewed.settle()
    fields = dict(
        zip(
            page.locator(".fields th").all_inner_texts(), page.locator(".fields td").all_inner_texts(), strict=True
        )
    )
    hero = replay.at(1800).units[100]
    assert fields["m_iHealth"] == str(hero["m_iHealth"])
    assert fields["CBodyComponent.m_cellX"] == str(hero["CBodyComponent.m_cellX"])
    page.get_by_role("button", name="m_iHealth", exact=True).click()
    page.wait_for_selector(".history .spark")
    viewed.shoot("source2-inspect")


@pytest.mark.long
def test_jumps_by_keys_and_buttons(
    samples: dict[str, Path], serve: Callable[..., str], shown: Callable[..., Page]
) -> None:
    for name, jump, kinds, key in (
        ("source2", "kill", ("player_killed",), "x"),
        ("source2", "fight", ("fight_started",), "g"),
        ("teehistorian", "finish", ("run_finished", "team_run_finished"), "h"),
    ):
        viewed = shown()
        page = viewed.open(serve(samples[name]))
        ticks = sorted({event.tick for event in playhead.open(samples[name]).events(*kinds)})
        viewed.press("Home", key)
        assert viewed.tick() == next(tick for tick in ticks if tick > 0)
        page.get_by_role("button", name=f"next {jump}").click()
        viewed.settle()
        second = [tick for tick in ticks if tick > 0][1]
        assert viewed.tick() == second
        page.get_by_role("button", name=f"previous {jump}").click()
        viewed.settle()
        assert viewed.tick() == [tick for tick in ticks if tick < second][-1]
        viewed.press("End", f"Shift+{key.upper()}")
        assert viewed.tick() == [tick for tick in ticks if tick < viewed.last][-1]
        viewed.shoot(f"{name}-jump-{jump}")


@pytest.mark.one_of("name")
@pytest.mark.parametrize("name", FORMATS)
def test_the_top_says_who_played_whom_and_who_won(
    samples: dict[str, Path], serve: Callable[..., str], shown: Callable[..., Page], name: str
) -> None:
    replay = playhead.open(samples[name])
    page = shown().open(serve(samples[name]))
    headline, facts = page.locator("h1").inner_text(), page.locator(".top").inner_text()
    if name == "source2":
        assert headline == "Radiant vs Dire"
    else:
        players = [player.name for player in replay.players if player.player is not None]
        assert all(str(player) in headline for player in players) or headline == f"{len(players)} players"
    if replay.info.winner_name is not None and page.locator(".team").count():
        assert page.locator(".team:has(.won) .who b").inner_text() == replay.info.winner_name
    assert (f"on {replay.info.map}" in facts) == (name != "source2")  # Dota 2 has one map, whose file is start
    assert samples[name].name not in facts
    assert page.locator("h1").get_attribute("title") == samples[name].name
    assert replay.info.start_time is None or str(replay.info.start_time.date()) in facts


def test_what_happened_at_the_playhead_is_told_on_the_map(
    samples: dict[str, Path], serve: Callable[..., str], shown: Callable[..., Page]
) -> None:
    viewed, replay = shown(), playhead.open(samples["teehistorian"])
    page = viewed.open(serve(samples["teehistorian"]))
    (finish, *_) = replay.events("run_finished")
    viewed.press("Home", "h")
    viewed.settle()
    assert viewed.tick() == finish.tick
    seconds = finish.payload["duration_seconds"]
    lines = page.locator(".caption li").all_inner_texts()
    assert any(
        line.startswith("finish") and line.endswith(f"in {int(seconds // 60)}:{seconds % 60:05.2f}")
        for line in lines
    ), lines


def test_names_do_not_stand_on_each_other(
    samples: dict[str, Path], serve: Callable[..., str], shown: Callable[..., Page]
) -> None:
    viewed = shown()
    page, viewed.spent = viewed.page, True
    page.add_init_script(
        """{
          const write = CanvasRenderingContext2D.prototype.fillText;
          CanvasRenderingContext2D.prototype.fillText = function (text, x, y) {
            if (this.canvas.className === 'map' && this.font.includes('11px')) {
              const half = this.measureText(text).width / 2;
              (window.named ??= []).push([text, x - half, y - 6, x + half, y + 6]);
            }
            return write.call(this, text, x, y);
          };
        }"""
    )
    viewed.open(serve(samples["source2"]))
    viewed.press("5")
    for _ in range(8):  # from afar everybody stands in one place
        page.evaluate("window.named = []")
        viewed.press("-")
        named = page.evaluate("window.named")
        assert named
        for place, (one, left, top, right, low) in enumerate(named):
            for other, *box in named[place + 1 :]:
                apart = right <= box[0] or box[2] <= left or low <= box[1] or box[3] <= top
                assert apart or one == other, (one, other)


def test_why_a_value_changed(
    samples: dict[str, Path], serve: Callable[..., str], shown: Callable[..., Page]
) -> None:
    viewed = shown()
    page = viewed.open(serve(samples["source2"]))
    viewed.press("5")
    page.locator(".player .name").first.click()
    viewed.tab("inspect")
    viewed.settle()
    page.get_by_role("button", name="m_iHealth", exact=True).click()
    viewed.settle()
    text = page.locator(".history li").last.inner_text()
    found = re.search(
        r"tick (\d+)\n?.*CSVCMsg_PacketEntities, message \d+ of \d+.*frame (\d+) at byte (\d+)", text, re.S
    )
    assert found, text
    frame = list(playhead.open(samples["source2"]).recording.frames)[int(found[2])]
    assert (frame.tick, frame.offset) == (int(found[1]), int(found[3]))
    viewed.shoot("source2-why")


@pytest.mark.long
def test_the_map_is_drawn_on_a_picture(
    samples: dict[str, Path], serve: Callable[..., str], shown: Callable[..., Page], tmp_path: Path
) -> None:
    image = pytest.importorskip("PIL.Image", reason="Pillow is not installed")
    path = tmp_path / "map.png"
    image.new("RGB", (64, 64), (255, 0, 200)).save(path)
    viewed = shown()
    page = viewed.open(serve(samples["source2"], map_file=MapFile(str(path), (-9000, 9000, -9000, 9000))))
    with_picture = _ink(page)
    page.click(".layers summary")
    page.get_by_role("button", name="picture").click()
    viewed.settle()
    assert with_picture > 50_000 > _ink(page)
    path.write_bytes(b"no picture")
    page = shown().open(serve(samples["source2"], map_file=MapFile(str(path))))
    assert "expected a picture" in page.locator(".busy").inner_text()


def test_a_simulation_is_drawn_on_its_map(
    samples: dict[str, Path], serve: Callable[..., str], shown: Callable[..., Page], tmp_path: Path
) -> None:
    games = pytest.importorskip("tests.teehistorian.physics.written_games")
    sha256 = games.write_map(tmp_path / "floor.map", {(3, 2): 1})
    places = [(112, games.FLOOR)] * 20 + [(300, games.FLOOR)] * 30
    (tmp_path / "game").write_bytes(games.write_recording(sha256, places, {3: games.HOOK_UP}))
    viewed = shown()
    page = viewed.open(f"{serve(tmp_path / 'game', map_file=MapFile(str(tmp_path / 'floor.map')))}#t=10")
    assert "not as simulated" in page.locator(".legend").inner_text()
    with_details = page.evaluate(DRAWING)
    page.click(".layers summary")
    page.get_by_role("button", name="details").click()
    viewed.settle()
    assert page.evaluate(DRAWING) != with_details
    viewed.shoot("teehistorian-simulated")
    plain = shown().open(serve(samples["teehistorian"]))
    assert plain.get_by_role("button", name="details").count() == 0


def test_the_path_and_heat_of_a_player(opened: tuple[Page, playhead.Replay]) -> None:
    viewed, replay = opened
    viewed.press("5")
    viewed.page.locator(".player .name").first.click()
    viewed.settle()
    viewed.press("r")
    plain = viewed.page.evaluate(DRAWING)
    viewed.page.click(".layers summary")
    for name in ("path", "heat"):
        viewed.page.get_by_role("button", name=name, exact=True).click()
        viewed.settle()
        assert viewed.page.locator(".busy").count() == 0
        now = viewed.page.evaluate(DRAWING)
        assert now != plain
        plain = now
    viewed.shoot(f"{replay.format}-path-and-heat")


@pytest.mark.long
def test_the_view_of_a_team(corpus: Path, serve: Callable[..., str], shown: Callable[..., Page]) -> None:
    """A team sees less than the recording has, and the other team something else."""
    viewed = shown()
    page = viewed.open(serve(corpus / "source2" / "dota2_build9912_10bots.dem"))
    viewed.press("End", "r")
    drawings = [page.evaluate(DRAWING)]
    for team in ("2", "3", ""):
        page.evaluate("document.querySelector('.layers').open = true")
        page.get_by_label("whose view").select_option(team)
        viewed.settle()
        drawings.append(page.evaluate(DRAWING))
        viewed.shoot(f"view-of-{team or 'anybody'}")
    assert drawings[0] == drawings[3]
    assert len(set(drawings)) == 3


def test_curves_have_the_playhead(opened: tuple[Page, playhead.Replay]) -> None:
    viewed, replay = opened
    page = viewed.page
    viewed.tab("curves")
    page.wait_for_selector(".values")
    viewed.press("7")
    drawn = page.evaluate("document.querySelector('.plot').toDataURL()")
    viewed.press("3")
    assert page.evaluate("document.querySelector('.plot').toDataURL()") != drawn
    assert page.locator(".values li").count() >= 1
    box = page.locator(".plot").bounding_box()
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + 100)
    viewed.settle()
    assert 0.35 < viewed.tick() / viewed.last < 0.65
    viewed.shoot(f"{replay.format}-curves")


def test_no_request_leaves_the_machine(opened: tuple[Page, playhead.Replay]) -> None:
    viewed, _ = opened
    for tab in ("events", "tables", "problems"):
        viewed.tab(tab)
        viewed.settle()
    assert viewed.asked
    assert all(re.match(r"http://127\.0\.0\.1:\d+/", url) or url.startswith("data:") for url in viewed.asked)


@pytest.mark.long
@pytest.mark.one_of("name")
@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("theme", ["dark", "light"])
def test_axe_finds_nothing(
    samples: dict[str, Path],
    serve: Callable[..., str],
    shown: Callable[..., Page],
    node: Path,
    theme: str,
    name: str,
) -> None:
    assert AXE.is_relative_to(node)
    viewed = shown(theme=theme)
    page = viewed.open(serve(samples[name]), at="#t=1800&range=0,2000")
    for tab in ("summary", "players", "scoreboard", "events", "inspect", "curves", "builds", "tables", "problems"):
        if tab == "scoreboard":
            page.get_by_role("button", name=tab, exact=True).click()  # of the panel of players
        elif page.locator(f"#tab-{tab}").count():
            viewed.tab(tab)
        viewed.settle()
        viewed.check_axe(tab)


@pytest.mark.one_of("name")
@pytest.mark.parametrize("name", FORMATS)
def test_on_a_phone(
    samples: dict[str, Path], serve: Callable[..., str], shown: Callable[..., Page], name: str
) -> None:
    viewed = shown(width=390, height=844, theme="light")
    page = viewed.open(serve(samples[name]))
    viewed.press("5")
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    assert page.locator("canvas.map").bounding_box()["height"] > 200
    assert _ink(page) > 30
    viewed.check_axe("phone")
    viewed.shoot(f"{name}-phone")
    page.get_by_role("tab", name="players").click()
    page.evaluate("scrollTo(0, 10000)")  # a panel keeps half of the screen, below map, buttons and names of panels
    tabs = page.locator(".tabs").bounding_box()
    assert tabs["y"] + tabs["height"] < 844 / 2 + 1


@pytest.mark.one_of("name")
@pytest.mark.parametrize("name", FORMATS)
def test_a_report_opens_from_disk(
    samples: dict[str, Path], shown: Callable[..., Page], tmp_path: Path, name: str
) -> None:
    path = tmp_path / "match.html"
    replay = playhead.open(samples[name])
    write_report(replay, path)
    viewed = shown()
    page = viewed.open(path.as_uri())
    viewed.press("5")
    last = replay.info.duration_ticks
    assert last is not None
    assert viewed.tick() == last // 2
    assert page.locator(".player .name").all_inner_texts() == [row["name"] for row in replay.at(last // 2).players]
    assert _ink(page) > 60
    for tab in ("events", "curves", "tables", "problems"):
        viewed.tab(tab)
        viewed.settle()
        assert page.locator("[role=alert]").count() == 0
    viewed.check_axe("report")
    assert [url.partition("#")[0] for url in viewed.asked] == [path.as_uri()]
    viewed.shoot(f"{name}-report")


HOSTILE = (
    '<img src=x onerror="window.hurt=1">',
    "‮evil‬",
    "漢字🎮",
    "مرحبا",
    "</script><script>window.hurt=1</script>",
)


def test_hostile_names_are_text(
    shown: Callable[..., Page], serve: Callable[..., str], tmp_path: Path, step: int
) -> None:
    from tests.samples.teehistorian import write_sample

    plain = write_sample(tmp_path).read_bytes()
    for number, name in enumerate(HOSTILE if step == 1 else ["".join(HOSTILE)]):
        target = tmp_path / f"{number}.teehistorian"
        target.write_bytes(_renamed(plain, name))
        viewed = shown()
        page = viewed.open(serve(target))
        viewed.press("5")
        viewed.tab("events")
        viewed.settle()
        assert page.evaluate("window.hurt") is None
        assert page.locator("img").count() == 0
        viewed.shoot(f"hostile-{number}")


def _renamed(recording: bytes, map_name: str) -> bytes:
    """The recording with a map of that name: the header is JSON that ends with a zero byte."""
    import json

    start = recording.index(b'{"')
    end = recording.index(b"\0", start)
    header = json.loads(recording[start:end])
    header["map_name"] = map_name
    return recording[:start] + json.dumps(header, ensure_ascii=False).encode() + recording[end:]


def test_a_folder_is_a_list(
    samples: dict[str, Path], serve: Callable[..., str], shown: Callable[..., Page]
) -> None:
    viewed = shown()
    viewed.page.goto(serve(samples["sc2"].parent))
    viewed.page.wait_for_selector(".files li")
    assert sorted(viewed.page.locator(".files li b").all_inner_texts()) == sorted(
        path.name for path in samples.values()
    )
    viewed.page.get_by_text(samples["sc2"].name).click()
    viewed.page.wait_for_selector(".theatre")
    viewed.settle()
    assert viewed.page.locator(".middle h1").get_attribute("title") == samples["sc2"].name
    viewed.page.get_by_label("all recordings").click()
    for place in (0, 1):
        viewed.page.locator(".files li button").nth(place).click()
    viewed.page.wait_for_selector(".pair iframe")
    assert viewed.page.locator(".pair iframe").count() == 2


def test_a_cut_recording_says_so(
    samples: dict[str, Path], serve: Callable[..., str], shown: Callable[..., Page], tmp_path: Path
) -> None:
    path = tmp_path / "cut.dem"
    path.write_bytes(samples["source2"].read_bytes()[:400_000])
    viewed = shown()
    page = viewed.open(serve(path))
    assert page.get_by_text("cut short").count() == 1
    viewed.tab("problems")
    page.wait_for_selector(".problems li")
    viewed.shoot("cut")
