"""Helpers of the tests that run as real processes."""
