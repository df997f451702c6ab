"""Commands that read results: reports, comparisons, tables."""
