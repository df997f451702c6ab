"""Figures of a study: progress, agreement, disagreement, time and pay."""
