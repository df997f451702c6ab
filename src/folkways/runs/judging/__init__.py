"""Judges replies that folkways did not ask for, and has replies judged by models and people."""
