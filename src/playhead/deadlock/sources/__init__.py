"""Inputs shared by several facts of a Deadlock match."""
