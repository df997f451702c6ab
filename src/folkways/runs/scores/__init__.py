"""Judges and scores what a run was told, and says what decided each score."""
