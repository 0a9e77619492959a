"""A synthetic Dota 2 match, and its engine parts."""
