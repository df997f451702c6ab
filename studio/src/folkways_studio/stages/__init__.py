"""Kinds of stages, each one object: its rules, form, sheet and export. A study combines them
(``workflows``)."""
