"""`link_types`: the types of units by their index in the catalog."""
