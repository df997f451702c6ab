"""Pages of researchers and reviewers."""
