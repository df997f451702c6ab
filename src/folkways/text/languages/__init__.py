"""Segmenters and stemmers, one module per language."""
