"""Fights and the entries of the combat log."""
