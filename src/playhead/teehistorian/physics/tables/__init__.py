"""Rows of tees and notes of events during a rerun, and the tables made of them."""
