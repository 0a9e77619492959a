"""Selections and control groups of users over time."""
