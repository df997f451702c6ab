"""Formats of other projects (Label Studio, Argilla, spaCy, CoNLL): what they call a stage's questions and
answers, in both directions. Pure functions over JSON values."""
