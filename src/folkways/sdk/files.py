"""Tables and settings that people bring, and files that leave: read and written in one way."""

from __future__ import annotations

from folkways.files import write_bytes
from folkways.json_lines import json_objects, json_text, read_exact_json
from folkways.records import Schema
from folkways.releases.croissant import Croissant, CroissantTable
from folkways.spreadsheet import csv_bytes
from folkways.text_tables import SUFFIXES, check_titles, read_replies
from folkways.toml_files import read_toml

__all__ = [
    "SUFFIXES",
    "Croissant",
    "CroissantTable",
    "Schema",
    "check_titles",
    "csv_bytes",
    "json_objects",
    "json_text",
    "read_exact_json",
    "read_replies",
    "read_toml",
    "write_bytes",
]
