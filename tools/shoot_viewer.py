"""Make the pictures of the viewer in docs/images, from written matches.

    python tools/shoot_viewer.py [FOLDER]

It needs Chromium, Playwright and Pillow. Other folders get pictures of other sizes and of both themes as well, to
look at: `python tools/shoot_viewer.py DIR --all FILE ...` shows these files instead.
"""

from __future__ import annotations

import argparse
import io
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from chromium import LONGEST, SETTLED, launched

sys.path.insert(0, str(Path(__file__).parents[1]))
from tests.samples.dota2_match.recording import write_sample
from tests.samples.games import LONG, write_match

from playhead.samples import FILES, write_stored

IMAGES = Path(__file__).parents[1] / "docs" / "images"
#: By picture: the written match (None: the one with a story), part of a file's name, the place and keys before the
#: picture.
PICTURES = {
    "viewer-cs2": (("cs2", 10), "cs2", ("#t=8000",)),
    "viewer-deadlock": (("deadlock", 10), "10min.dem", ("", "x", "x")),
    "viewer-dota2": (None, "dota2", ("#t=7380",)),
    "viewer-starcraft2": (("sc2", 8), "SC2Replay", ("",)),
    "viewer-ddnet": (("ddnet", 0), "teehistorian", ("",)),
}
SIZES = ((1280, 800), (1920, 1080), (400, 820), (844, 390))


@contextmanager
def served(path: Path) -> Iterator[str]:
    """Serve a recording; yield the address."""
    command = [sys.executable, "-m", "playhead", "view", str(path), "--no-browser"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        yield server.stdout.readline().strip()
        server.terminate()


def picture(browser: Any, address: str, keys: tuple[str, ...], size: tuple[int, int], theme: str) -> bytes:
    """Return a picture of the page after these keys, as PNG."""
    page = browser.new_context(
        viewport={"width": size[0], "height": size[1]}, color_scheme=theme, reduced_motion="reduce"
    ).new_page()
    page.goto(address + keys[0])
    page.wait_for_selector(".theatre")
    page.wait_for_function(SETTLED, timeout=LONGEST)
    for key in keys[1:]:
        page.keyboard.press(key)
        page.wait_for_function(SETTLED, timeout=LONGEST)
    data = bytes(page.screenshot())
    page.context.close()
    return data


def small(data: bytes) -> bytes:
    """Return a PNG of 128 colours: pictures of the docs are in the repository."""
    from PIL import Image

    out = io.BytesIO()
    Image.open(io.BytesIO(data)).convert("RGB").quantize(128).save(out, "PNG", optimize=True)
    return out.getvalue()


def main() -> None:
    from playwright.sync_api import sync_playwright

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", type=Path, default=IMAGES)
    parser.add_argument("--all", nargs="+", type=Path, metavar="FILE", help="all sizes and themes of these files")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    with sync_playwright() as library, tempfile.TemporaryDirectory() as made:
        browser = launched(library)
        for file in options.all or ():
            with served(file) as address:
                for size in SIZES:
                    for theme in ("dark", "light"):
                        target = options.folder / f"{file.stem}-{size[0]}-{theme}.png"
                        target.write_bytes(picture(browser, address, ("",), size, theme))
        for name, (sample, part, keys) in () if options.all else PICTURES.items():
            folder = Path(made, name)
            folder.mkdir()
            if sample is None:
                write_sample(folder)
            elif sample[0] in LONG:
                write_match(sample[0], folder, sample[1])
            else:
                write_stored(FILES[sample[0]][0], folder)
            path = next(each for each in sorted(folder.iterdir()) if part in each.name and each.suffix != ".json")
            with served(path) as address:
                (options.folder / f"{name}.png").write_bytes(
                    small(picture(browser, address, keys, SIZES[0], "dark"))
                )
        browser.close()


if __name__ == "__main__":
    main()
