"""A synthetic StarCraft II replay."""
