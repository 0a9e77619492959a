"""Rewrites and anonymises replays."""
