"""Check a tag before a release: `python tools/check_release.py v1.2.3`.

The tag must be the version, the version must have a dated heading in CHANGELOG.md, and the project's URLs must
name the repository of the tag. Ends with status 1 and a line for each violation.
"""

from __future__ import annotations

import os
import re
import runpy
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]
_URLS = ("Repository", "Documentation", "Changelog", "Issues")


def problems(tag: str, version: str, changes: str, urls: dict[str, str], repository: str | None) -> list[str]:
    """Return the reasons against a release.

    Args:
        tag: name of the tag.
        version: version of the package.
        changes: text of CHANGELOG.md.
        urls: URLs of the project.
        repository: URL of the tag's repository; None if unknown.
    """
    found = []
    if tag != f"v{version}":
        found.append(f"the tag is {tag} and the version {version}")
    if not re.search(rf"^## {re.escape(version)} \(\d{{4}}-\d\d-\d\d\)$", changes, re.MULTILINE):
        found.append(f"CHANGELOG.md has no heading '## {version} (YYYY-MM-DD)'")
    found += [f"pyproject.toml has no URL called {name}" for name in _URLS if name not in urls]
    if repository is not None and urls.get("Repository", repository) != repository:
        found.append(f"the project lives at {urls['Repository']}, the tag is in {repository}")
    return found


def main(tag: str) -> int:
    """Check the tag against the files of this checkout."""
    version = runpy.run_path(str(ROOT / "src" / "playhead" / "version.py"))["__version__"]
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    changes = (ROOT / "CHANGELOG.md").read_text("utf-8")
    server, name = os.environ.get("GITHUB_SERVER_URL"), os.environ.get("GITHUB_REPOSITORY")
    found = problems(tag, version, changes, project.get("urls", {}), f"{server}/{name}" if name else None)
    print("\n".join(found) or f"{tag} may be released")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
