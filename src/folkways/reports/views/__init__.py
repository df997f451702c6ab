"""The contents of reports as ordered records and tables, made from frames and independent of the output
format."""
