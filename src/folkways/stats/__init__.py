"""Intervals, paired tests, effect sizes, corrections and agreement: pure functions, frames in, frames out."""
