"""Kinds of stages, and the files that combine them to studies. No input or output but for reading those
files."""
