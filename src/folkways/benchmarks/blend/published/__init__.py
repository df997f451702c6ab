"""The figures that BLEnD's paper printed: Myung et al. (2024), arXiv:2406.09948. Only the numbers are here.

Tables 1, 2, 7, 8 and 9 are of the data, 10 and 11 of short answers (in the local language; in English), 12
of multiple choice, without Llama-3.1-70B, and 13 of people's verdicts on wrong answers of GPT-4. Short-answer
questions are the same in every culture, and Table 2 counts them for none.
"""

from folkways.benchmarks.published import PublishedFigures

PUBLISHED = PublishedFigures(__name__)
