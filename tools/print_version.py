#!/usr/bin/env python3
"""Build step: print the version, which `src/playhead/version.py` has and nothing else."""

import runpy
from pathlib import Path

print(runpy.run_path(str(Path(__file__).parents[1] / "src" / "playhead" / "version.py"))["__version__"])
