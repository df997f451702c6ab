"""Speed of the statistics, and what sampled runs save."""

from pathlib import Path

SIMULATIONS = Path(__file__).with_name("SIMULATIONS.md")
"""The page of all tables that simulations write: how often intervals hold."""
