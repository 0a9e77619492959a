"""Purchases, the ground, and the money of each round."""
