"""Recordings written: message by message, a slice of one, one without the people in it."""
