"""Runs in the formats of other projects, and the programs of other projects with our tasks."""
