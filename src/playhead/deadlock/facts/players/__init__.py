"""The players over time, their items and abilities."""
