"""Messages of the server, and the commands of players that it recorded."""
