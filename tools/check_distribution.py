"""Check what an sdist and the wheels built from it contain.

    python tools/check_distribution.py SDIST WHEEL… [--interpreted]

The sdist holds what git has at HEAD; a wheel holds the package as the sdist has it, an extension for each hot
module (none with `--interpreted`), every licence and the bill of materials, and nothing else. Ends with status 1
and a line for each thing that is otherwise.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import tarfile
from email import message_from_bytes
from fnmatch import fnmatch
from pathlib import Path
from zipfile import ZipFile

_PACKAGE = "src/playhead/"
#: What a wheel has beside the package; `auditwheel` and the like add bills of what they put in.
_DIST_INFO = ("METADATA", "WHEEL", "RECORD", "entry_points.txt", "licenses/LICENSE", "sboms/playhead.cdx.json")
_ALLOWED = ("sboms/auditwheel.cdx.json", "sboms/delocate.cdx.json", "sboms/delvewheel.cdx.json")
#: The extension with Cython's own C code, which the others import.
_SHARED = "runtime/cython_shared"


def read_sdist(path: Path) -> dict[str, bytes]:
    """Return the files of an sdist by their names in the repository."""
    with tarfile.open(path) as archive:
        files = {}
        for member in archive:
            held = archive.extractfile(member)
            if held is not None:
                files[member.name.partition("/")[2]] = held.read()
    return files


def sdist_problems(files: dict[str, bytes], tracked: set[str]) -> list[str]:
    """Return how the sdist differs from what git has."""
    missing = [f"the sdist lacks {name}" for name in sorted(tracked - files.keys())]
    return missing + [f"the sdist has {name}" for name in sorted(files.keys() - tracked - {"PKG-INFO"})]


def wheel_problems(wheel: dict[str, bytes], sdist: dict[str, bytes], *, compiled: bool) -> list[str]:
    """Return how a wheel differs from what its sdist calls for."""
    problems = []
    wanted = {"playhead/" + name.removeprefix(_PACKAGE): name for name in sdist if name.startswith(_PACKAGE)}
    for name, origin in sorted(wanted.items()):
        if name not in wheel:
            problems.append(f"lacks {name}")
        elif wheel[name] != sdist[origin]:
            problems.append(f"has another {name} than the sdist")
    infos = {name.partition("/")[0] for name in wheel if ".dist-info/" in name}
    if len(infos) != 1:
        return [*problems, f"has {len(infos)} folders of metadata"]
    (info,) = infos
    licences = {f"{info}/licenses/{name}" for name in sdist if fnmatch(name, _PACKAGE + "*/LICENSES.txt")}
    due = {f"{info}/{name}" for name in _DIST_INFO} | licences | {"playhead/build_info.json"}
    problems += [f"lacks {name}" for name in sorted(due - wheel.keys())]
    lines = sdist[_PACKAGE + "hot_modules.txt"].decode().splitlines()
    modules = [_SHARED, *(line.split()[0] for line in lines)]
    extensions = [name for name in wheel if name.endswith((".so", ".pyd"))]
    for module in modules:
        built = [name for name in extensions if name.partition(".")[0] == f"playhead/{module}"]
        if len(built) != compiled:
            problems.append(f"has {len(built)} extensions of {module}")
    odd = wheel.keys() - wanted.keys() - due - {f"{info}/{name}" for name in _ALLOWED} - set(extensions)
    odd |= {name for name in extensions if name.partition(".")[0].removeprefix("playhead/") not in modules}
    problems += [f"has {name}" for name in sorted(odd) if not name.endswith("/")]
    if f"{info}/METADATA" in wheel:
        version = re.search(rb'__version__ = "(.+)"', sdist[_PACKAGE + "version.py"])
        said = message_from_bytes(wheel[f"{info}/METADATA"])["Version"]
        if version is None or said != version[1].decode():
            problems.append(f"is of version {said}")
    return problems


def main() -> int:
    """Check the files that the arguments name."""
    parser = argparse.ArgumentParser(description="Check what an sdist and its wheels contain.")
    parser.add_argument("sdist", type=Path)
    parser.add_argument("wheels", type=Path, nargs="+")
    parser.add_argument("--interpreted", action="store_true", help="the wheels were built without a compiler")
    given = parser.parse_args()
    root = Path(__file__).parents[1]
    of_git = ["git", "ls-tree", "-rz", "--name-only", "HEAD"]
    listed = subprocess.run(of_git, cwd=root, check=True, capture_output=True)
    sdist = read_sdist(given.sdist)
    problems = sdist_problems(sdist, set(listed.stdout.decode().split("\0")) - {""})
    for path in given.wheels:
        with ZipFile(path) as archive:
            held = {name: archive.read(name) for name in archive.namelist()}
        problems += [f"{path.name} {text}" for text in wheel_problems(held, sdist, compiled=not given.interpreted)]
    print("\n".join(problems) or f"as they should be: {given.sdist.name} and {len(given.wheels)} wheels")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
