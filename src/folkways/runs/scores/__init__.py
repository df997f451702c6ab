"""Scores of runs: judging, signatures, and the models that metrics need."""
