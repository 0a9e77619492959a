"""Structures, bosses, other units, props and zip lines."""
