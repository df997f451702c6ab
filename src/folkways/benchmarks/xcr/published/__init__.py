"""What XCR-Bench's paper says in numbers: Kabir et al. (2026), arXiv:2601.14063, first version. Only facts
are here.

Of the corpus: section 2.3 and Table 8, whose elements have the names of the data. Figures 3 and 4 are
drawings: most counts have no printed number. The abstract's 4.9k parallel sentences are left out: section 2.3
has 4,136, which the files confirm.
"""

from folkways.benchmarks.published import PublishedFigures

PUBLISHED = PublishedFigures(__name__)
