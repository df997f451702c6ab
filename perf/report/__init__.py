"""Time and memory of a report of many models."""
