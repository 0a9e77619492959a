"""Give sdists the project's addresses: `PLAYHEAD_REPOSITORY=https://… python tools/address_sdist.py SDIST…`.

An index shows README.md outside of the repository, where a relative link leads nowhere. In the sdist, and so in
the wheels built from it, its links and pictures get the repository's address at the version's tag, and the
metadata the project's URLs. The address is that one variable; the workflow of a release sets it.
"""

from __future__ import annotations

import gzip
import io
import os
import re
import sys
import tarfile
from pathlib import Path
from urllib.parse import urlsplit

_LINK = re.compile(r"(!?)(\[[^\]]*\])\((?!\w+:)([^)\s]+)\)")


def urls(repository: str, tag: str) -> dict[str, str]:
    """Return the project's URLs by name; the documentation is on GitHub Pages, elsewhere in the repository."""
    owner, _, name = urlsplit(repository).path[1:].partition("/")
    on_github = urlsplit(repository).netloc == "github.com"
    pages = f"https://{owner.lower()}.github.io/{name}/" if on_github else f"{repository}/tree/{tag}/docs"
    return {
        "Repository": repository,
        "Documentation": pages,
        "Changelog": f"{repository}/blob/{tag}/CHANGELOG.md",
        "Issues": f"{repository}/issues",
    }


def absolute(readme: str, repository: str, tag: str) -> str:
    """Return the README with the address of each relative link and picture."""

    def link(found: re.Match[str]) -> str:
        picture, text, target = found.groups()
        path = f"README.md{target}" if target.startswith("#") else target
        return f"{picture}{text}({repository}/{'raw' if picture else 'blob'}/{tag}/{path})"

    return _LINK.sub(link, readme)


def addressed(name: str, text: str, repository: str, tag: str) -> str:
    """Return a file of the sdist with the addresses: README.md, pyproject.toml, PKG-INFO."""
    named = urls(repository, tag)
    if name == "README.md":
        return absolute(text, repository, tag)
    if name == "pyproject.toml":
        lines = "".join(f'{key} = "{url}"\n' for key, url in named.items())
        return text.replace("[project.scripts]", f"[project.urls]\n{lines}\n[project.scripts]", 1)
    head, _, body = text.partition("\n\n")
    lines = "".join(f"\nProject-URL: {key}, {url}" for key, url in named.items())
    return f"{head}{lines}\n\n{absolute(body, repository, tag)}"


def address(path: Path, repository: str) -> None:
    """Rewrite an sdist in place; twice the same sdist gives twice the same bytes."""
    packed = io.BytesIO()
    tag = "v" + path.name.removesuffix(".tar.gz").rpartition("-")[2]
    with (
        tarfile.open(path) as old,
        gzip.GzipFile(fileobj=packed, mode="wb", filename="", mtime=0) as file,
        tarfile.open(fileobj=file, mode="w", format=tarfile.PAX_FORMAT) as new,
    ):
        for member in old:
            held = old.extractfile(member)
            data = b"" if held is None else held.read()
            name = member.name.partition("/")[2]
            if name in ("README.md", "pyproject.toml", "PKG-INFO"):
                data = addressed(name, data.decode(), repository, tag).encode()
                member.size = len(data)
            new.addfile(member, io.BytesIO(data))
    path.write_bytes(packed.getvalue())


def main(paths: list[str]) -> int:
    """Address the sdists."""
    repository = os.environ.get("PLAYHEAD_REPOSITORY", "").rstrip("/")
    if not re.fullmatch(r"https://[\w.-]+/[\w./-]+", repository):
        print(f"PLAYHEAD_REPOSITORY is no address of a repository: {repository!r}")
        return 1
    for path in paths:
        address(Path(path), repository)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
