"""Signals that a model may have seen a benchmark's items before it was asked: what is asked, and what a reply
is worth."""
