"""Multiple choice for any benchmark: the task, its wordings, its declaration in TOML, orders of options, and
the reader of released files."""
