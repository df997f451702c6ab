"""Every Eval Ever: runs written as its records, and its records read."""
