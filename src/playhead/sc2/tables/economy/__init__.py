"""Tables of units, production, resources and supply."""
