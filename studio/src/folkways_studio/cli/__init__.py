"""``folkways studio``: the server, and commands for studies."""
