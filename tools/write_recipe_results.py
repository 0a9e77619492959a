"""Run the recipes of docs/ on the samples and write the result below each: tables, or pictures in docs/images.

python tools/write_recipe_results.py [PAGE ...]     # writes
python tools/write_recipe_results.py --check        # runs them all, writes nothing; status 1 if a page is
outdated

The first Python block of a page precedes every other one, so each recipe runs independently. The result of a
block is its variable ``answer``. Pictures also come from the samples; they are not compared, because fonts
differ.
"""

from __future__ import annotations

import os
import re
import sys
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from playhead.samples import FILES, write_sample_broadcast, write_stored

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
IMAGES = DOCS / "images"
COMMAND = "python tools/write_recipe_results.py"

#: Pages with recipes, and the sample for their variable ``path`` (the gallery opens its own by name).
PAGES: Mapping[str, str] = {
    "cookbook/dota2.md": "sample_dota2.dem",
    "cookbook/cs2.md": "sample_cs2.dem",
    "cookbook/deadlock.md": "sample_deadlock.dem",
    "cookbook/starcraft2.md": "sample_sc2_7min.SC2Replay",
    "cookbook/starcraft2-coach.md": "sample_sc2_7min.SC2Replay",
    "cookbook/starcraft2-research.md": "sample_sc2_7min.SC2Replay",
    "cookbook/hots.md": "sample_hots.StormReplay",
    "cookbook/teehistorian.md": "sample_ddnet.teehistorian",
    "cs2-deadlock.md": "sample_cs2.dem",
    "gallery.md": "sample_dota2.dem",
}

#: The value of a recipe's variable ``broadcast``.
BROADCAST = "sample_dota2_broadcast"

_ROWS = 4
_COLUMNS = 8
_ITEMS = 4
_TEXT = 60
_COLOURS = 128
_DPI = 80

#: A Python block, and the result of an earlier run below it.
_BLOCK = re.compile(
    r"^```python *\n(?P<code>.*?)^```\n(?P<result>\n<!-- result -->\n.*?<!-- /result -->\n)?",
    re.MULTILINE | re.DOTALL,
)
_HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)


def _cell(value: Any) -> str:
    """Return a value in the form of a table cell."""
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value:.2f}".rstrip("0").rstrip(".")
    if isinstance(value, Mapping):
        return _cell([f"{_cell(key)}: {_cell(entry)}" for key, entry in value.items()])
    if isinstance(value, list | tuple):
        shown = [_cell(entry) for entry in value[:_ITEMS]]
        return ", ".join([*shown, "…"] if len(value) > _ITEMS else shown)
    text = str(value)
    text = text if len(text) <= _TEXT else text[: _TEXT - 1] + "…"
    return re.sub(r"(?<![a-zA-Z0-9])_|_(?![a-zA-Z0-9])", r"\\_", text).replace("|", "\\|").replace("<", "&lt;")


def _ends(rows: list[Any]) -> tuple[list[Any], list[Any]]:
    """Return the first and the last of many rows."""
    half = _ROWS // 2
    return (rows, []) if len(rows) <= _ROWS else (rows[:half], rows[-half:])


def _lines(names: list[str], rows: list[tuple[Any, ...]]) -> list[str]:
    """Return a Markdown table, and its share of the whole."""
    shown = names[:_COLUMNS]
    first, last = _ends(rows)
    lines = ["| " + " | ".join(f"`{name}`" if name else "" for name in shown) + " |", "|" + "---|" * len(shown)]
    for row in [*first, *([("…",) * len(shown)] if last else []), *last]:
        lines.append("| " + " | ".join(map(_cell, row[:_COLUMNS])) + " |")
    parts = [f"{len(first) + len(last)} of {len(rows):,} rows"] if last else []
    parts += [f"{len(shown)} of {len(names)} columns"] if len(names) > len(shown) else []
    return [*lines, "", f"*{', '.join(parts)}*"] if parts else lines


def _shown(answer: Any, heading: str, page: Path, write_images: bool) -> list[str]:
    """Return the lines that show an answer.

    Raises:
        ValueError: the answer is empty.
    """
    if hasattr(answer, "get_figure") or hasattr(answer, "savefig"):
        figure = answer if hasattr(answer, "savefig") else answer.get_figure()
        image = IMAGES / f"{page.stem}-{re.sub(r'[^a-z0-9]+', '-', heading.lower()).strip('-')}.png"
        if write_images:
            _save(figure, image)
        link = Path(os.path.relpath(image, page.parent)).as_posix()
        return [f"![{heading}]({link})"]
    names: list[str] = []
    if hasattr(answer, "to_pylist"):
        names, rows = answer.column_names, [tuple(row.values()) for row in answer.to_pylist()]
    elif hasattr(answer, "iter_rows"):
        names, rows = answer.columns, answer.rows()
    elif isinstance(answer, Mapping):
        names, rows = ["", ""], list(answer.items())
    else:
        rows = list(answer)
    if not rows:
        raise ValueError(f"{page.name}: the answer of recipe {heading!r} is empty")
    if names:
        return _lines(names, rows)
    first, last = _ends(rows)
    return ["```text", *map(repr, first), *(["…"] if last else []), *map(repr, last), "```"]


def _save(figure: Any, path: Path) -> None:
    """Write a small picture; few colours are enough for a plot."""
    import io

    from PIL import Image

    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", dpi=_DPI)
    path.parent.mkdir(exist_ok=True)
    Image.open(buffer).convert("RGB").quantize(_COLOURS, dither=Image.Dither.NONE).save(path, optimize=True)


def _parts(page: Path, text: str, path: Path, folder: Path, write_images: bool) -> Iterator[str]:
    """Yield the pieces of the page, with new results."""
    at = 0
    start: dict[str, Any] | None = None
    heading = ""
    for block in _BLOCK.finditer(text):
        before = text[at : block.start()]
        heading = (_HEADING.findall(before) or [heading])[-1]
        yield before
        at = block.end()
        names = dict(start) if start is not None else {"path": path, "folder": folder, "broadcast": BROADCAST}
        line = text.count("\n", 0, block.start()) + 1
        exec(compile("\n" * line + block["code"], str(page), "exec"), names)
        yield text[block.start() : block.start("result") if block["result"] else block.end()]
        if start is None:
            start = names
        elif "answer" in names:
            lines = _shown(names["answer"], heading, page, write_images)
            yield "\n".join(["", "<!-- result -->", "", *lines, "", "<!-- /result -->", ""])
    yield text[at:]


def write_samples(folder: Path) -> None:
    """Write all samples, as ``playhead sample`` does."""
    for names in FILES.values():
        for name in names:
            write_stored(name, folder)
    write_sample_broadcast(folder)


def new_text(name: str, folder: Path, *, write_images: bool = False) -> str:
    """Run the recipes of a page and return the page with their results.

    `folder` contains the files of `write_samples`. It must be the working folder; recipes write to it.

    Raises:
        ValueError: a recipe's answer is empty. Exceptions of recipes are passed on.
    """
    import matplotlib

    matplotlib.use("agg")
    import matplotlib.pyplot as plt

    page = DOCS / name
    try:
        return "".join(_parts(page, page.read_text(encoding="utf-8"), Path(PAGES[name]), folder, write_images))
    finally:
        plt.close("all")


def main(arguments: list[str]) -> int:
    check = "--check" in arguments
    wanted = [argument for argument in arguments if argument != "--check"] or list(PAGES)
    old = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_samples(folder)
        os.chdir(folder)
        for page in wanted:
            text = new_text(page, folder, write_images=not check)
            if text != (DOCS / page).read_text(encoding="utf-8"):
                old.append(page)
                if not check:
                    (DOCS / page).write_text(text, encoding="utf-8")
        os.chdir(ROOT)
    for page in old:
        print(f"{page} is old: run {COMMAND}" if check else f"{page} written")
    return 1 if check and old else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
