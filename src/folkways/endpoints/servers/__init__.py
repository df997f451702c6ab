"""Models behind HTTP: addresses, connections, one module per protocol."""
