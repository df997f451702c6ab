"""Runs that draw items at random until scores are known well enough."""
