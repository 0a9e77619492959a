"""Rebuild ``src/playhead/sc2/members/attribute_names.json`` from the list of an installed sc2reader (MIT).

    python tools/build_sc2_attributes.py

sc2reader's ``data/attributes.json`` has the names of the game's attributes and the meaning of their value codes.
Value lists shared by several attributes are stored once, and digits that mean themselves are omitted. The
licence of the list is written to the file next to it.
"""

from __future__ import annotations

import json
from importlib.metadata import distribution
from pathlib import Path

PACKAGE = "sc2reader"
TARGET = Path(__file__).parents[1] / "src" / "playhead" / "sc2" / "members" / "attribute_names.json"


def main() -> None:
    """Read the installed list and write `TARGET`."""
    package = distribution(PACKAGE)
    files = {path.name: path for path in package.files or ()}
    known = json.loads(files["attributes.json"].read_text("utf-8"))["attributes"]
    values: list[dict[str, str]] = []
    attributes = {}
    for number, (name, words) in sorted(known.items(), key=lambda item: int(item[0])):
        own = {code: word for code, word in words.items() if not (code == word and code.isdigit())}
        if own not in values:
            values.append(own)
        attributes[str(int(number))] = [name, values.index(own)]
    data = {
        "source": f"{PACKAGE} {package.version}, {PACKAGE}/data/attributes.json",
        "licence": files["LICENSE.txt"].read_text("utf-8"),
        "attributes": attributes,
        "values": values,
    }
    TARGET.write_text(json.dumps(data, separators=(",", ":"), ensure_ascii=False) + "\n", "utf-8")
    print(f"{TARGET}: {TARGET.stat().st_size} bytes, {len(attributes)} attributes, {len(values)} lists of values")


if __name__ == "__main__":
    main()
