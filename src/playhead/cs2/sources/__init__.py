"""Inputs shared by several facts: people, rounds, the clock, pawns, words."""
