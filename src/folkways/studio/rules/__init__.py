"""The rules of a study as plain functions: who may take part, who may take what, when an item has enough, and what came of it."""
