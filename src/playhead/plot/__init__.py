"""Pictures of a replay (extra ``plot``): each method draws with Matplotlib and returns the axes."""

from __future__ import annotations

from playhead.plot.economy import Economy
from playhead.plot.plots import Plots

__all__ = ["Economy", "Plots"]
