"""Commands that ask models, judge and score."""
