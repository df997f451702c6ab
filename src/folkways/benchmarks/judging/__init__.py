"""What the tasks of several benchmarks share when they judge."""
