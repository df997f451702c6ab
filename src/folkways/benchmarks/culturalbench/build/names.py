"""What the released files call a country."""

from __future__ import annotations

from folkways.cultures import get_culture
from folkways.errors import UnknownNameError


def country_name(country: str) -> str:
    """What CulturalBench's files call a culture that folkways knows ("US" is "United States"); any other name as it is."""
    try:
        culture = get_culture(country)
    except UnknownNameError:
        return country
    return culture.names.get("culturalbench", culture.name)
