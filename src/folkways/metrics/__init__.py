"""Pure functions that turn a reply and a gold answer into numbers: spans, labels, edit similarity."""
