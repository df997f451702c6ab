"""Programs that run in the authors' environment."""
