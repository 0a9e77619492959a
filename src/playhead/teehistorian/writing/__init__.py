"""Writes recordings: message by message, slices, anonymised ones."""
