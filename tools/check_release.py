"""Check a tag before a release: `python tools/check_release.py v1.2.3`.

The tag must be the version, and the version must have a dated heading in CHANGELOG.md. Ends with status 1 and a
line for each violation. The project's addresses are in no file: `tools/address_sdist.py` sets them.
"""

from __future__ import annotations

import re
import runpy
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]


def problems(tag: str, version: str, changes: str) -> list[str]:
    """Return the reasons against a release.

    Args:
        tag: name of the tag.
        version: version of the package.
        changes: text of CHANGELOG.md.
    """
    found = []
    if tag != f"v{version}":
        found.append(f"the tag is {tag} and the version {version}")
    if not re.search(rf"^## {re.escape(version)} \(\d{{4}}-\d\d-\d\d\)$", changes, re.MULTILINE):
        found.append(f"CHANGELOG.md has no heading '## {version} (YYYY-MM-DD)': put the day for '(unreleased)'")
    return found


def main(tag: str) -> int:
    """Check the tag against the files of this checkout."""
    version = runpy.run_path(str(ROOT / "src" / "playhead" / "version.py"))["__version__"]
    found = problems(tag, version, (ROOT / "CHANGELOG.md").read_text("utf-8"))
    print("\n".join(found) or f"{tag} may be released")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
