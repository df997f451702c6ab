"""Reading labels (A, B, C, D; True, False; Yes, No) out of replies: one reader of letters, one of true and
false, for all tasks.

``exact_label`` takes a reply that is the label and nothing else, which is the rule of CulturalBench's
authors; ``chosen_label`` and ``settled_truth`` find what a chatty reply settles on, and give None where it
does not settle on one.
"""

from folkways.text.labels.choosing import chosen_label, exact_label, first_label
from folkways.text.labels.mentions import first_turn
from folkways.text.labels.truths import TRUTHS, settled_truth, settled_word

__all__ = [
    "TRUTHS",
    "chosen_label",
    "exact_label",
    "first_label",
    "first_turn",
    "settled_truth",
    "settled_word",
]
