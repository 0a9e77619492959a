"""The match as a whole: its clock, draft and outcome."""
