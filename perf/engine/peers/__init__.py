"""Programs that run inside the clients' own environments: they import the client under measurement and
nothing of this package."""
