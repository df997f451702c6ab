"""HELM: its results for single instances, read."""
