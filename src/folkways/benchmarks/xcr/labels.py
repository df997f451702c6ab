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

OF_OTHERS = {
    "Social Etiquette": ("Social Culture", "Social.Relationship"),
    "Sports Tradition": ("Social Culture", "Social.Context"),
    "Workplace Culture": ("Social Culture", "Social.Communicative Goals"),
    "Social Tradition": ("Organisations, Customs and Ideas", "Ideational.Concepts"),
    "Cultural Reference": ("Organisations, Customs and Ideas", "Ideational.Knowledge"),
    "Cultural Value": ("Organisations, Customs and Ideas", "Ideational.Values"),
    "Cultural Stereotype": ("Organisations, Customs and Ideas", "Ideational.Norms"),
}
"""Category -> its categories in the typologies of Newmark (1988) and of Liu et al. (2025), as Table 5 maps
them. Newmark's other categories (ecology, material culture, gestures and habits) have no sentence."""

NON_TRANSFERABLE = "non_transferable"
STRATEGIES = ("direct_equivalent", "functional_equivalent", "neutral_term", NON_TRANSFERABLE)
"""How an item was carried over (section 2.2)."""

RELEASED_LABEL = "Non-transferrable"
"""The released spelling of an item without an equivalent."""
