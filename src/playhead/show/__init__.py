"""Plots (extra ``plot``) and notebook views of a replay."""
