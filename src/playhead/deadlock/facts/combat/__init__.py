"""Damage, shots, kills, fights and modifiers."""
