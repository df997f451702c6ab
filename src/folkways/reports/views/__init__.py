"""What reports show, as records and tables, ordered and named: from frames alone, and for any output
format."""
