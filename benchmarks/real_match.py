"""The default match of the Source 2 benchmarks: synthetic, of realistic size."""

from __future__ import annotations

from pathlib import Path

from playhead.samples.source2.real_size.demo import write_real_match


def real_match(folder: str, minutes: float) -> Path:
    """Write a match of that many minutes, as `playhead sample --minutes N --size real` does; return its path."""
    path = Path(folder) / f"real_{minutes:g}min.dem"
    write_real_match(path, minutes)
    return path
