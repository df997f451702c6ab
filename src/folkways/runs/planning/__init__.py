"""Plans of runs: which tasks with which items, what they would take, and the recipe by which others can ask
the same."""
