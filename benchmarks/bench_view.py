"""Cost of the viewer, in a browser and in the server.

    python benchmarks/bench_view.py [FILE ...]

FILE is a recording of any format; without one, it creates a Dota 2 match of 40 minutes and realistic size and a
teehistorian of 100 MB in a temporary folder.

In the browser (Debian's Chromium without a graphics card, driven by Playwright; 1280 x 800), it measures:
opening the page until the map is drawn; a click on the timeline until the new state is drawn; frames while
dragging, while playing at eightfold speed, and while 1,500 synthetic units move in place of the recording's.
Each is reported in wall time, which other work on the machine lengthens, and in CPU seconds of the page (all
browser processes) and of the server. At 60 frames a second a frame may take 16.7 ms. Memory is that of the
server's process, including mapped files, and of the page's objects.

In the server: CPU seconds of each response, in a separate process.
"""

from __future__ import annotations

import argparse
import math
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from bench_teehistorian_large import write_large

sys.path.insert(0, str(Path(__file__).parents[1] / "tools"))
from chromium import PROGRAM, SETTLED, launched
from real_match import real_match

#: Jumps to measure, and seconds of dragging and of playing.
JUMPS, SECONDS = 16, 4
#: Units of the crowd, and seconds between their samples.
UNITS, SAMPLED = 1500, 0.2
LONGEST = 600_000

#: Number of things on the map, as reported by the page.
THINGS = "document.querySelector('canvas.map').dataset.things"
#: Measures the page's work per frame: from before the first callback of a frame to after the last.
COUNT_FRAMES = """() => {
  window.work = [];
  const ask = window.requestAnimationFrame.bind(window);
  let begun = 0, at = -1;
  window.requestAnimationFrame = (call) => ask((now) => {
    const start = performance.now();
    if (now !== at) { if (at >= 0) window.work.push(begun); begun = 0; at = now; }
    call(now);
    begun += performance.now() - start;
  });
}"""

DRAWN = "document.documentElement.dataset.drawn"
#: Resolves with the milliseconds from the page request to the first drawn map.
FIRST_DRAWN = f"""() => new Promise((done) => {{
  const look = () => document.documentElement && {DRAWN} ? done(performance.now()) : setTimeout(look, 1);
  look();
}})"""
#: Clicks on the timeline at a share of its width; resolves with the milliseconds until it is drawn.
JUMP = f"""(share) => new Promise((done) => {{
  const line = document.querySelector('.timeline'), box = line.getBoundingClientRect();
  const x = box.left + 110 + share * (box.width - 130);
  const at = {{bubbles: true, pointerId: 1, clientX: x, clientY: box.top + 8}};
  const before = {DRAWN}, start = performance.now();
  line.setPointerCapture = () => {{}};
  line.dispatchEvent(new PointerEvent('pointerdown', at));
  line.dispatchEvent(new PointerEvent('pointerup', at));
  const look = () => {DRAWN} && {DRAWN} !== before ? done(performance.now() - start) : setTimeout(look, 1);
  setTimeout(look, 1);
}})"""
#: Drags the playhead back and forth over a tenth of the recording, one step per frame.
DRAG = """(seconds) => new Promise((done) => {
  const line = document.querySelector('.timeline'), box = line.getBoundingClientRect();
  const x = (share) => box.left + 110 + share * (box.width - 130);
  const at = (share) => ({bubbles: true, pointerId: 1, clientX: x(share), clientY: box.top + 8});
  line.setPointerCapture = () => {};
  line.dispatchEvent(new PointerEvent('pointerdown', at(0.5)));
  const end = performance.now() + 1000 * seconds;
  const step = () => {
    const now = performance.now();
    line.dispatchEvent(new PointerEvent('pointermove', at(0.5 + 0.05 * Math.sin(now / 400))));
    if (now < end) requestAnimationFrame(step);
    else { line.dispatchEvent(new PointerEvent('pointerup', at(0.5))); done(); }
  };
  window.work.length = 0;
  requestAnimationFrame(step);
})"""


def cpu(make: Callable[[], Any]) -> tuple[float, Any]:
    begun = time.process_time()
    found = make()
    return time.process_time() - begun, found


def memory(pid: int | str = "self") -> str:
    """Return current memory, the part of it that is mapped files (libraries and recording), and the peak, in
    megabytes.
    """
    fields = (line.partition(":") for line in Path(f"/proc/{pid}/status").read_text().splitlines())
    held = {name: int(value.split()[0]) / 1000 for name, _, value in fields if name.startswith(("Vm", "Rss"))}
    return f"{held['VmRSS']:.0f} MB ({held['RssFile']:.0f} of files), at most {held['VmHWM']:.0f} MB"


def at_the_server(path: str) -> None:
    """Print the CPU seconds of the page's requests."""
    from playhead.web.shelf import open_match

    opened, match = cpu(lambda: open_match(path))
    summary, facts = cpu(match.summary)
    first, _ = cpu(lambda: match.state(0))
    print(f"  open, summary, first stretch   {opened + summary + first:.3f} s   {memory()}")
    last = match.last_tick // match.stretch
    places = sorted({last * part // 17 for part in range(1, 17)} - {0}, key=lambda place: place * 7919 % 17)
    jumps = [cpu(lambda place=place: match.state(place))[0] for place in places]
    typical, worst = statistics.median(jumps), max(jumps)
    print(f"  a jump, median and worst       {typical:.3f} s, {worst:.3f} s   {memory()}")
    moments = [cpu(lambda place=place: match.moment(place * match.stretch))[0] for place in places]
    print(f"  players at a tick, median      {statistics.median(moments):.3f} s   {memory()}")
    for name, make in (
        ("ground and clock", lambda: (match.ground(), match.clock())),
        ("events", lambda: match.events(tuple(facts["notable"]))),
    ):
        print(f"  {name:<30} {cpu(make)[0]:.3f} s   {memory()}")


@contextmanager
def served(path: str) -> Iterator[tuple[str, int]]:
    """Serve a recording; yield address and process."""
    command = [sys.executable, "-m", "playhead", "view", path, "--no-browser"]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        assert server.stdout is not None
        yield server.stdout.readline().strip(), server.pid
    finally:
        server.terminate()
        server.wait()


class Clock:
    """Measures wall time, and CPU time of browser and server."""

    def __init__(self, browser: Any, server: int) -> None:
        self._session = browser.new_browser_cdp_session()
        self._server = server

    def _now(self) -> tuple[float, float, float]:
        processes = self._session.send("SystemInfo.getProcessInfo")["processInfo"]
        fields = Path(f"/proc/{self._server}/stat").read_text().rpartition(")")[2].split()
        server = (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
        return time.perf_counter(), sum(each["cpuTime"] for each in processes), server

    def of(self, run: Callable[[], Any]) -> tuple[float, float, float, Any]:
        """Return seconds, CPU seconds of the browser and of the server, and the result of `run`."""
        before = self._now()
        found = run()
        passed, page, server = (now - then for now, then in zip(self._now(), before, strict=True))
        return passed, page, server, found


def frames(clock: Clock, page: Any, run: Callable[[], Any]) -> str:
    """Return the number of frames during `run`, their CPU time, and the page's own time per frame."""
    page.evaluate("window.work.length = 0")
    passed, cpu_seconds, _, _ = clock.of(run)
    work = sorted(page.evaluate("window.work"))
    count, typical, high = len(work), statistics.median(work), work[int(len(work) * 0.95)]
    return (
        f"{count / passed:.0f} a second; CPU {1000 * cpu_seconds / count:.1f} ms a frame, "
        f"script {typical:.1f} ms, 95 % below {high:.1f} ms"
    )


def in_the_browser(path: str, browser: Any) -> None:
    """Print times of the page, and memory of both sides."""
    with served(path) as (address, pid):
        clock = Clock(browser, pid)
        page = browser.new_context(viewport={"width": 1280, "height": 800}).new_page()
        page.add_init_script(f"({COUNT_FRAMES})()")

        def settle() -> None:
            page.wait_for_function(SETTLED, timeout=LONGEST)

        def begin() -> float:
            page.goto(address, wait_until="commit")
            return float(page.evaluate(FIRST_DRAWN)) / 1000

        _, of_page, of_server, opened = clock.of(begin)
        costs = f"CPU page {of_page:.2f} s, server {of_server:.2f} s"
        print(f"  open until the map is drawn    {opened:.2f} s; {costs}")
        settle()
        jumps = []
        for number in range(JUMPS):
            share = (number * 7 % JUMPS + 0.5) / JUMPS
            jumps.append(clock.of(lambda share=share: page.evaluate(JUMP, share)))
            settle()
        drawn, of_page, of_server = (
            1000 * statistics.median(column)
            for column in zip(*((found / 1000, page, server) for _, page, server, found in jumps), strict=True)
        )
        costs = f"CPU page {of_page:.0f} ms, server {of_server:.0f} ms"
        print(f"  a jump until drawn, median     {drawn:.0f} ms; {costs}")
        print(f"  things on the map              {page.evaluate(THINGS)}")
        print(f"  dragged                        {frames(clock, page, lambda: page.evaluate(DRAG, SECONDS))}")
        settle()
        page.locator(".speed select").first.select_option("8")
        page.locator(".play").click()
        played = frames(clock, page, lambda: page.wait_for_timeout(1000 * SECONDS))
        print(f"  played at 8x                   {played}")
        page.locator(".play").click()
        settle()
        heap = page.evaluate("performance.memory.usedJSHeapSize") / 1e6
        print(f"  memory                         server {memory(pid)}; page {heap:.0f} MB")
        with_a_crowd(page, address, clock)
        page.context.close()


def crowd(start: int, end: int, step: int) -> bytes:
    """A stretch in which `UNITS` units move with every sample."""
    from playhead.presentation.motion import UNIT, Rows

    rows = Rows()
    for one in range(UNITS):
        rows.new(str(one), {"kind": "unit", "player": one % 10, "role": UNIT})
    for tick in range(start, end + 1, step):
        for one in range(UNITS):
            turn = one + tick / 200
            x, y = 150 * (one % 100) + 90 * math.sin(turn), 900 * (one // 100) + 90 * math.cos(turn)
            rows.add(tick, one, x - 7000, y - 4500, health=0.5, team=2 + one % 2)
    return rows.to_bytes(start, end, step)


def with_a_crowd(page: Any, address: str, clock: Clock) -> None:
    """Measure the page with synthetic units in place of the recording's."""
    found = page.evaluate("fetch('m/0/summary').then((answer) => answer.json())")
    step = max(found["step"], round(SAMPLED * found["rate"]))

    def answer(route: Any) -> None:
        start = int(route.request.url.rpartition("=")[2]) * found["stretch"]
        route.fulfill(body=crowd(start, min(start + found["stretch"], found["last_tick"]), step))

    page.route("**/state?stretch=*", answer)
    page.goto("about:blank")
    page.goto(address)
    page.wait_for_function(SETTLED, timeout=LONGEST)
    page.locator(".play").click()
    for speed in ("1", "8"):
        page.locator(".speed select").first.select_option(speed)
        told = frames(clock, page, lambda: page.wait_for_timeout(1000 * SECONDS))
        print(f"  {page.evaluate(THINGS):>5} units that move, {speed}x     {told}")
    page.locator(".play").click()


def made(folder: Path) -> list[str]:
    """Return the two long recordings."""
    real_match(folder, 40)
    write_large(folder / "large.teehistorian", 100, compressed=False)
    return [str(path) for path in sorted(folder.iterdir())]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*", metavar="FILE")
    parser.add_argument("--server", metavar="FILE", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.server:
        at_the_server(options.server)
        return
    with tempfile.TemporaryDirectory() as folder:
        for path in options.files or made(Path(folder)):
            print(
                f"{Path(path).name}, {os.path.getsize(path) / 1e6:.0f} MB; load {os.getloadavg()[0]:.1f}",
                flush=True,
            )
            if PROGRAM is not None:
                from playwright.sync_api import sync_playwright

                with sync_playwright() as library:
                    browser = launched(library, "--enable-precise-memory-info")
                    in_the_browser(path, browser)
                    browser.close()
            subprocess.run([sys.executable, __file__, "--server", path], check=True)
            report = Path(folder, "report.html")
            subprocess.run([sys.executable, "-m", "playhead", "report", path, "-o", str(report)], check=True)


if __name__ == "__main__":
    main()
