"""Pictures and recordings of studies."""
