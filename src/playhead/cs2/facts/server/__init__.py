"""The settings of the server."""
