"""Client overhead of folkways beside that of its peers, against one instant local server: ``python -m
perf.engine``."""
