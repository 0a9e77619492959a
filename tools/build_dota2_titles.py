"""Build `src/playhead/dota2/titles.json` from dotaconstants (MIT): names and titles of heroes, items, abilities.

Usage: build_dota2_titles.py FOLDER

FOLDER is the unpacked npm package dotaconstants (`npm pack dotaconstants`), with `package.json` and `build/`.
Talents have no title of their own and are left out.
"""

import json
import sys
from pathlib import Path

OUTPUT = Path(__file__).parents[1] / "src" / "playhead" / "dota2" / "titles.json"
_TALENT = "special_bonus_"


def _title(row: dict[str, str]) -> str | None:
    """Return the title on one line; None without one."""
    return (row.get("dname") or "").replace("\\n", " ") or None


def build(folder: Path) -> dict[str, object]:
    """Return the names and titles: rows of number, name and title."""

    def read(name: str) -> object:
        return json.loads((folder / "build" / f"{name}.json").read_text(encoding="utf-8"))

    heroes = sorted([hero["id"], hero["name"], hero["localized_name"]] for hero in read("heroes").values())
    known = read("items")
    items = sorted(
        [int(number), f"item_{name}", _title(known.get(name, {}))] for number, name in read("item_ids").items()
    )
    titles = read("abilities")
    abilities = sorted(
        [int(number), name, _title(titles.get(name, {}))]
        for number, name in read("ability_ids").items()
        if number.isdecimal() and not name.startswith((_TALENT, "item_"))
    )
    return {
        "source": "dotaconstants " + json.loads((folder / "package.json").read_text())["version"],
        "patch": read("patch")[-1]["name"],
        "heroes": heroes,
        "items": items,
        "abilities": abilities,
    }


def main() -> None:
    """Write the file."""
    text = json.dumps(build(Path(sys.argv[1])), ensure_ascii=False, separators=(",", ":"))
    OUTPUT.write_text(text.replace("],[", "],\n[") + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
