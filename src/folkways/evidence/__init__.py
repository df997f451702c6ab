"""What relates numbers, each decided once: the rows that models share, how they differ there, their order,
and the sentences."""
