"""What benchmarks with options to choose among share: their task, how it is worded, and how their files are
found and checked."""
