"""Chromium with the page of the viewer, for tests, benchmarks and pictures."""

from __future__ import annotations

from pathlib import Path
from typing import Any

PROGRAM = next(
    (
        path
        for path in map(Path, ("/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"))
        if path.exists()
    ),
    None,
)
#: Whether nothing is in progress in the page and its tick is drawn (viewer/src/settled.ts).
SETTLED = """() => {
  const {busy, drawn} = document.documentElement.dataset;
  return busy === '0' && drawn === document.querySelector('.timeline')?.getAttribute('aria-valuenow');
}"""
#: Milliseconds after which a page that has not settled never will.
LONGEST = 120_000


def launched(library: Any, *options: str) -> Any:
    """Return a headless browser, without a graphics card."""
    return library.chromium.launch(executable_path=str(PROGRAM), args=["--no-sandbox", "--disable-gpu", *options])
