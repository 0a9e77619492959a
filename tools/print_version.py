#!/usr/bin/env python3
"""Build step: print the version from `src/playhead/version.py`, its only source."""

import runpy
from pathlib import Path

print(runpy.run_path(str(Path(__file__).parents[1] / "src" / "playhead" / "version.py"))["__version__"])
