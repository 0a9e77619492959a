"""Kills, damage and shots."""
