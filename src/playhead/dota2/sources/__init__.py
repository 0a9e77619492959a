"""What several facts of a match read: the clock, the roster, the combat log, names, samples at an interval."""
