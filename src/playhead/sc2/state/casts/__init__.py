"""Casts of spells: casters, their energy, and the results that the tracker shows."""
