"""Install each extra alone, with the lowest or highest versions that `pyproject.toml` allows, and use it.

    pip install uv
    python tools/check_extras.py WHEEL [--resolution lowest-direct|highest] [--python 3.11] [EXTRA…]

`tools/use_extras.py` uses the extras; the extra `core` is playhead alone. Lowest applies to playhead's own
dependencies; indirect ones have the newest compatible version. The environments are in a temporary folder.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tempfile
from email import message_from_bytes
from pathlib import Path
from zipfile import ZipFile

USE = Path(__file__).with_name("use_extras.py")


def requirements_of(wheel: Path) -> dict[str, list[str]]:
    """Return the requirements of each extra; `core` has those of playhead itself."""
    with ZipFile(wheel) as archive:
        (name,) = (name for name in archive.namelist() if name.endswith(".dist-info/METADATA"))
        metadata = message_from_bytes(archive.read(name))
    required: dict[str, list[str]] = {"core": []}
    required.update((extra, []) for extra in metadata.get_all("Provides-Extra", []))
    for text in metadata.get_all("Requires-Dist", []):
        extra = re.search(r"extra == \"([^\"]+)\"", text)
        # Remove the marker of the extra; others, such as the Python version, stay.
        plain = re.sub(r"\s*(;|and)\s*extra == \"[^\"]+\"", "", text)
        required.get(extra[1] if extra else "core", []).append(plain)
    return required


def check(wheel: Path, extra: str, required: list[str], resolution: str, python: str, place: Path) -> bool:
    """Install and use one extra, printing its versions; return whether it works.

    Args:
        wheel: playhead's wheel.
        extra: name of the extra.
        required: requirements of the extra and of playhead, one by one, so that the resolver treats them as
            direct.
        resolution: uv's resolution mode.
        python: version or path of the interpreter.
        place: an empty folder.
    """
    environment = place / "venv"
    folder = environment / ("Scripts" if os.name == "nt" else "bin")
    interpreter = str(folder / "python")
    quiet = ["uv", "--quiet"]
    subprocess.run([*quiet, "venv", "--python", python, environment], check=True)
    install = [*quiet, "pip", "install", "--python", interpreter, "--resolution", resolution]
    if subprocess.run([*install, wheel, *required], check=False).returncode:
        print(f"== {extra}: cannot be installed", flush=True)
        return False
    frozen = ["uv", "--quiet", "pip", "freeze", "--python", interpreter]
    listed = subprocess.run(frozen, check=True, capture_output=True, text=True).stdout
    versions = re.findall(r"^(\S+==\S+)$", listed, re.MULTILINE)
    outside = {name: text for name, text in os.environ.items() if not name.startswith(("PYTHON", "VIRTUAL_ENV"))}
    command = [interpreter, str(USE), str(place / "used"), extra]
    outcome = subprocess.run(command, check=False, env=outside | {"MPLCONFIGDIR": str(place)})
    print(f"== {extra}: {'fine' if outcome.returncode == 0 else 'FAILED'}: {' '.join(versions)}", flush=True)
    return outcome.returncode == 0


def main() -> int:
    """Check the given extras, or all; return status 1 if one failed."""
    parser = argparse.ArgumentParser(description="Install each extra alone and use it.")
    parser.add_argument("wheel", type=Path)
    parser.add_argument("extras", nargs="*", metavar="EXTRA")
    parser.add_argument("--resolution", default="highest", choices=("lowest-direct", "highest"))
    parser.add_argument("--python", default=f"{sys.version_info.major}.{sys.version_info.minor}")
    given = parser.parse_intermixed_args()
    wheel = given.wheel.resolve()
    required = requirements_of(wheel)
    failed = []
    for extra in given.extras or required:
        wanted = [*required["core"], *(required[extra] if extra != "core" else [])]
        with tempfile.TemporaryDirectory() as place:
            if not check(wheel, extra, wanted, given.resolution, given.python, Path(place)):
                failed.append(extra)
    print(f"failed: {', '.join(failed)}" if failed else "every extra was installed and used")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
