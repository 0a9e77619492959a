"""Writes archives, members and events: the mirror image of the readers, for samples, tests and anonymising."""
