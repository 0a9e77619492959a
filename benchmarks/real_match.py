"""The default match of the Source 2 benchmarks: synthetic, of realistic size (114 MB for 40 minutes).

As a program it writes one: ``python benchmarks/real_match.py FOLDER [MINUTES]``.
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1]))

from tests.samples.real_size.demo import write_real_match


def real_match(folder: str | Path, minutes: float) -> Path:
    """Write a match of that many minutes; return its path."""
    path = Path(folder) / f"real_{minutes:g}min.dem"
    write_real_match(path, minutes)
    return path


if __name__ == "__main__":
    print(real_match(sys.argv[1], float(sys.argv[2]) if len(sys.argv) > 2 else 40))
