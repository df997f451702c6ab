"""What has been published about models on CulturalBench: reference points. Only the numbers are here.

Source: Chiu et al. (2024), arXiv:2410.02677, first version; the regional scores of the first 16 models of its
public leaderboard; and the estimate that looking at the options alone gives 40 % on Easy, which is not in the
paper.
"""

from folkways.benchmarks.published import PublishedFigures

PUBLISHED = PublishedFigures(__name__)
