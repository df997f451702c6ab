"""One folder per benchmark: items, prompts, judging, the paper's tables, building. Data and pure functions
only."""
