"""The task of the benchmark, as ``mcq.toml`` declares it."""

from folkways.benchmarks.choosing.task import ChoiceTask

TASK = ChoiceTask.from_toml("folkways.benchmarks.global_piqa", "mcq.toml")
