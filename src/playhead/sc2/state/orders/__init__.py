"""Orders of users: their targets, abilities and repetitions."""
