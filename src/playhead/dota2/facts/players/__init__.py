"""Facts about each player: final statistics, counters, inventory, resources over time."""
