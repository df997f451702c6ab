"""Global-MMLU-Lite: the same 400 exam questions in many languages, half of them culturally sensitive (arXiv
2412.03304)."""

from folkways.benchmarks.base import Benchmark
from folkways.benchmarks.global_mmlu_lite.data import READER
from folkways.benchmarks.global_mmlu_lite.results import RESULTS
from folkways.benchmarks.global_mmlu_lite.task import TASK
from folkways.benchmarks.published import Published

BENCHMARK = Benchmark(
    "global-mmlu-lite",
    "Global-MMLU-Lite",
    (TASK,),
    reader=READER,
    results=RESULTS,
    published=Published("folkways.benchmarks.global_mmlu_lite.published"),
    caution=(
        "The questions are MMLU's, translated: about 6.5 % of MMLU's answers are wrong (Gema et al. "
        "2024), so that no honest model "
        "reaches 100 %, and old enough to be in what models have read."
    ),
)
