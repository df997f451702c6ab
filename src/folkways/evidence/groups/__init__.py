"""Analyses of groups of models, cultures and languages, for runs of any benchmark."""

from folkways.benchmarks.culture_profile import PROFILE
from folkways.evidence.groups.formats import FORMAT_CONSISTENCY
from folkways.evidence.groups.home import HOME_ADVANTAGE
from folkways.evidence.groups.means import MODEL_MEANS
from folkways.evidence.groups.repeated import REPEATED_REPLIES
from folkways.evidence.groups.resources import RESOURCE_CLASSES
from folkways.evidence.groups.same_language import SAME_LANGUAGE
from folkways.evidence.groups.steps import REASONING_MODELS, SUCCESSORS
from folkways.evidence.groups.treatments import TREATMENTS

OF_ANY_BENCHMARK = (
    PROFILE,
    MODEL_MEANS,
    HOME_ADVANTAGE,
    RESOURCE_CLASSES,
    SAME_LANGUAGE,
    FORMAT_CONSISTENCY,
    REPEATED_REPLIES,
    SUCCESSORS,
    REASONING_MODELS,
    TREATMENTS,
)
"""Results that belong to no benchmark."""
