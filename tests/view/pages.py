"""`Page`: the page in a browser, for tests. Screenshots go to PLAYHEAD_SCREENSHOTS."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from tools.chromium import LONGEST, SETTLED

#: Checks accessibility.
AXE = Path(__file__).parents[2] / "viewer" / "node_modules" / "axe-core" / "axe.min.js"
#: What the map shows, to compare.
DRAWING = "document.querySelector('canvas.map').toDataURL()"


class Page:
    """A page, and what went wrong in it.

    Attributes:
        wrong: errors of the page and of its console.
        asked: addresses of its requests.
        spent: whether no other test may use it: it has another clock, scripts or answers.
    """

    def __init__(self, browser: Any, *, width: int = 1280, height: int = 800, theme: str = "dark") -> None:
        self.context = browser.new_context(
            viewport={"width": width, "height": height}, color_scheme=theme, bypass_csp=False
        )
        self.page = self.context.new_page()
        self.spent = False
        self.wrong: list[str] = []
        self.asked: list[str] = []
        self.page.on("pageerror", lambda error: self.wrong.append(str(error)))
        self.page.on("console", lambda line: self.wrong.append(line.text) if line.type == "error" else None)
        self.page.on("request", lambda request: self.asked.append(request.url))

    def empty(self) -> None:
        """Leave what is shown, and forget it."""
        self.page.mouse.move(0, 0)
        self.page.goto("about:blank")
        self.wrong.clear()
        self.asked.clear()

    def open(self, address: str, at: str = "#t=0") -> Any:
        """Open a page at its first tick; without a tick in `at`, it opens on its best moment."""
        self.page.goto(address + at)
        self.page.wait_for_selector(".theatre")
        self.settle()
        return self.page

    def settle(self) -> None:
        """Wait until nothing is under way and what is drawn is the tick that the page says."""
        self.page.wait_for_function(SETTLED, timeout=LONGEST)

    def tab(self, name: str) -> None:
        """Open a panel, also one of those for developers."""
        if not self.page.locator(f"#tab-{name}").count():
            self.page.click("#developers")
        if self.page.get_attribute(f"#tab-{name}", "aria-selected") != "true":
            self.page.click(f"#tab-{name}")

    def press(self, *keys: str) -> None:
        for key in keys:
            self.page.keyboard.press(key)
        self.settle()

    def check_axe(self, what: str = "") -> None:
        """Fail if axe finds a violation; without its package, nothing is checked."""
        if not AXE.is_file():
            return
        if not self.page.evaluate("'axe' in window"):
            self.page.evaluate(AXE.read_text(encoding="utf-8"))
        wrong = [
            f"{what}: {each['id']}: {each['nodes'][0]['html'][:120]} {each['nodes'][0]['failureSummary'][:300]}"
            for each in self.page.evaluate(
                "axe.run({resultTypes: ['violations']}).then((result) => result.violations)"
            )
        ]
        assert not wrong, "\n".join(wrong)

    def tick(self) -> int:
        return int(self.page.locator(".timeline").get_attribute("aria-valuenow"))

    @property
    def last(self) -> int:
        return int(self.page.locator(".timeline").get_attribute("aria-valuemax"))

    def shoot(self, name: str) -> None:
        folder = os.environ.get("PLAYHEAD_SCREENSHOTS")
        if folder:
            Path(folder).mkdir(parents=True, exist_ok=True)
            self.page.screenshot(path=str(Path(folder) / f"{name}.png"))
