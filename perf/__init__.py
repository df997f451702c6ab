"""Measurements of what folkways costs. Nothing here is part of the installed package."""
