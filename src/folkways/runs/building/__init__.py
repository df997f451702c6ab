"""Builds benchmarks: asks models what the construction needs, through the workspace, and writes what comes of it."""
