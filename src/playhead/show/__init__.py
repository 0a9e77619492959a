"""Plots of a replay (extra ``plot``): each method draws with Matplotlib and returns the axes."""

from __future__ import annotations

from playhead.show.plots import Plots

__all__ = ["Plots"]
