"""Tests: analysis of variance, exact tests of pairs, corrections for many comparisons, what could have been
found."""
