"""What XCR-Bench's paper asks of the scores, as analyses of runs."""

from __future__ import annotations

from folkways.benchmarks.analyses import Analysis
from folkways.benchmarks.xcr.analyses import measures
from folkways.benchmarks.xcr.analyses.examples import example_tables
from folkways.benchmarks.xcr.analyses.gains import gain_tables
from folkways.benchmarks.xcr.analyses.groups import category_tables, element_tables, level_tables
from folkways.benchmarks.xcr.analyses.oracle import control_tables
from folkways.benchmarks.xcr.analyses.reasoning import reasoning_tables
from folkways.benchmarks.xcr.analyses.regions import bias_tables
from folkways.benchmarks.xcr.analyses.strategies import strategy_tables

ADAPTATION = (measures.ADAPTATION,)

ANALYSES = (
    Analysis(
        "csi-categories",
        "Scores by category (Figure 2)",
        "In which categories of culture-specific items do models do well, and in which badly?",
        measures.TASKS,
        category_tables,
    ),
    Analysis(
        "hall-levels",
        "Scores by Hall level (Figures 5 and 6)",
        "Do models do worse the less visible a cultural level is?",
        measures.TASKS,
        level_tables,
    ),
    Analysis(
        "hall-elements",
        "Scores by element (Table 9)",
        "In which of Hall's cultural elements do models do well, and in which badly?",
        measures.TASKS,
        element_tables,
    ),
    Analysis(
        "gains",
        "Into the language against within English (section 4.2)",
        "How much better are adaptations into the language of a culture than within English?",
        ADAPTATION,
        gain_tables,
    ),
    Analysis(
        "strategies",
        "Adaptation strategies (Table 10)",
        "Which strategies do models name, and how well do adaptations go that they name them for?",
        ADAPTATION,
        strategy_tables,
    ),
    Analysis(
        "regional-bias",
        "West Bengal against Bangladesh (Table 4)",
        "Do models adapt to one of the two Bengali cultures better than to the other?",
        ADAPTATION,
        bias_tables,
    ),
    Analysis(
        "regional-control",
        "What the gap between the Bengali cultures is made of",
        "How much of the gap comes from sentences that one culture's gold has no items for?",
        ADAPTATION,
        control_tables,
    ),
    Analysis(
        "reasoning",
        "More against less reasoning (section 4.1)",
        "What does reasoning change, in one model that was asked with and without it?",
        measures.TASKS,
        reasoning_tables,
    ),
    Analysis(
        "prompt-examples",
        "With and without the sentences that prompts show",
        "How much of a score comes from sentences that the authors' prompts show, solved, as examples?",
        measures.TASKS,
        example_tables,
    ),
)
