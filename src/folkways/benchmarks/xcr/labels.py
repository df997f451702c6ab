"""The labels of XCR-Bench's corpus (section 2 and Table 8), as its released files spell them, and the ways of
adapting."""

from __future__ import annotations

LEVELS = ("Visible", "Semi-visible", "Invisible")
"""Hall's levels, from what is seen to what is not."""

CATEGORIES = (
    "Social Tradition",
    "Social Etiquette",
    "Cultural Reference",
    "Workplace Culture",
    "Cultural Stereotype",
    "Cultural Value",
    "Sports Tradition",
)

ELEMENTS = (
    "Action",
    "Appropriacy",
    "Architecture",
    "Art",
    "Communication",
    "Competitiveness",
    "Customs",
    "Dress",
    "Environment",
    "Food and Drink",
    "Individualism",
    "Institutions",
    "Music",
    "Orientations",
    "Power",
    "Rituals",
    "Stereotype",
    "Structure",
    "Styles of Discourse",
    "Thinking",
    "Time",
    "Visible Behaviour",
    "Ways of Dress",
    "Workplace Customs",
    "Workplace Norms",
)

FIELDS = {"category": CATEGORIES, "level": LEVELS, "element": ELEMENTS}
"""Field that people label -> its labels."""

NON_TRANSFERABLE = "non_transferable"
STRATEGIES = ("direct_equivalent", "functional_equivalent", "neutral_term", NON_TRANSFERABLE)
"""How an item was carried over (section 2.2)."""

RELEASED_LABEL = "Non-transferrable"
"""The released spelling of an item without an equivalent."""
