"""The tables of the studio, and what the database itself holds there."""
