"""Players: measures of how they played, and the probable winner."""
