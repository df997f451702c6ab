"""Whose culture answers where a model is wrong: which other culture's answer a wrong answer is, compared with
chance.

A benchmark opts in with a ``Result`` of ``result.whose_culture``, for which it matches its wrong answers
(``matching``).
"""
