"""Runs: what is asked of whom, written down before it is asked, and scored from what was stored."""
