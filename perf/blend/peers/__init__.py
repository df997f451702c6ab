"""Programs that run in the authors' environments."""
