"""Countries, regions and languages: codes, names, and which language is asked where."""

from __future__ import annotations

from folkways.cultures import Culture, cultures, get_culture, get_language, language_name, languages

__all__ = ["Culture", "cultures", "get_culture", "get_language", "language_name", "languages"]
