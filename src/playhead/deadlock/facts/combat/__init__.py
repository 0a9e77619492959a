"""Damage, shots, kills and fights."""
