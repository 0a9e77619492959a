"""Where bytes come from and go to: the only room that touches files and networks."""
