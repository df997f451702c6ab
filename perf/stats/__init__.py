"""Speed of the statistics, and what sampled runs save."""
