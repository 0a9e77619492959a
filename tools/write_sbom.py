"""Build step: list the third-party content of the package, as CycloneDX.

Usage: write_sbom.py OUTPUT

Equal sources give equal bytes: there is no time and no random number in it. Requirements are omitted, because
the package's metadata has them and the installation decides their versions.
"""

import json
import re
import runpy
import sys
from pathlib import Path

PACKAGE = Path(__file__).parents[1] / "src" / "playhead"
PAGE = PACKAGE / "view" / "static" / "LICENSES.txt"

#: Sources of data: purl without version, version, licence, derived files.
DATA = (
    ("pkg:pypi/gem-dota", "0.14.0", "MIT", ["source2/messages/definitions.txt"]),
    ("pkg:npm/dotaconstants", "10.8.0", "MIT", ["dota2/titles.json"]),
    ("pkg:cargo/awpy-proto", "0.1.11076591+2000924", "MIT", ["source2/messages/definitions_cs2.txt"]),
    ("pkg:cargo/boon-proto", "0.4.11152727+6805", "MIT", ["source2/messages/definitions_deadlock.txt"]),
    (
        "pkg:pypi/sc2reader",
        "1.9.0",
        "MIT",
        ["sc2/members/attribute_names.json", "sc2/state/production/facts.json", "sc2/abilities/bundled.json.xz"],
    ),
    ("pkg:pypi/boon-deadlock", "0.9.0", "MIT", ["deadlock/sources/names.txt"]),
    ("pkg:pypi/s2protocol", "", "MIT", ["sc2/protocol/tables.json.zlib"]),
    ("pkg:pypi/heroprotocol", "", "MIT", ["hots/protocol/tables.json.zlib"]),
    ("pkg:cargo/s2protocol", "5.0.0", "MIT", ["sc2/abilities/bundled.json.xz", "sc2/abilities/unit_types.json"]),
    ("pkg:github/ddnet/ddnet", "20.1", "Zlib", ["teehistorian/physics/LICENSES.txt"]),
    (
        "pkg:pypi/spawningtool",
        "3.0.0",
        "MIT",
        ["sc2/abilities/unit_types.json", "sc2/state/production/facts.json"],
    ),
)


def component(purl: str, version: str, licence: str, files: list[str]) -> dict[str, object]:
    """Return one component, with the files that contain it or derive from it."""
    reference = f"{purl}@{version}" if version else purl
    return {
        "type": "library",
        "bom-ref": reference,
        "name": purl.rpartition("/")[2],
        **({"version": version} if version else {}),
        "licenses": [{"license": {"id": licence}}],
        "purl": reference,
        "evidence": {"occurrences": [{"location": f"playhead/{file}"} for file in files]},
    }


def components() -> list[dict[str, object]]:
    """Return all third-party content of the package."""
    page = re.findall(r"^=+\n(\S+) (\S+) \((\S+)\)(?:: .*)?$", PAGE.read_text("utf-8"), re.MULTILINE)
    bundled = [
        (f"pkg:npm/{name.lower()}", version, licence, ["view/static/page.js"]) for name, version, licence in page
    ]
    found = [component(*parts) for parts in (*DATA, *bundled)]
    return sorted(found, key=lambda part: str(part["purl"]))


def bill() -> dict[str, object]:
    """Return the bill of materials."""
    version = runpy.run_path(str(PACKAGE / "version.py"))["__version__"]
    own = f"pkg:pypi/playhead@{version}"
    parts = components()
    return {
        "$schema": "http://cyclonedx.org/schema/bom-1.6.schema.json",
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {
            "component": {
                "type": "library",
                "bom-ref": own,
                "name": "playhead",
                "version": version,
                "licenses": [{"license": {"id": "MIT"}}],
                "purl": own,
            }
        },
        "components": parts,
        "dependencies": [{"ref": own, "dependsOn": [part["bom-ref"] for part in parts]}],
    }


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(json.dumps(bill(), indent=1) + "\n", encoding="utf-8")
