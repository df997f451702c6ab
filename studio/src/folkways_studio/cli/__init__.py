"""``folkways studio``: the server, and what can be done to a study from a command line."""
