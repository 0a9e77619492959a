"""Grenades, smokes, fires, flashes and the bomb."""
