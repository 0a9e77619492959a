"""Replays for language models: a server of the Model Context Protocol over the replays of a folder."""
