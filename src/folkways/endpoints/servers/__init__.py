"""Models that are reached by HTTP: addresses, connections, one module per protocol."""
