"""Whose culture answers where a model is wrong: which other culture's answer a wrong answer is, beside what
chance would give.

A benchmark opts in by a ``Result`` of ``result.whose_culture``, for which it says how its wrong answers are
matched (``matching``).
"""
