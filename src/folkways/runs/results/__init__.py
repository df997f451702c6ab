"""Reads what runs left: for reports, comparisons, single items and the results of papers."""
