"""Several people or models on the same cases: agreement, and rates corrected by people."""
