"""The engine: sends requests, stores what comes back, and survives what really happens. It knows no
benchmark."""
