"""Mutation testing: small faults are planted in the code that decides numbers, and the nearest tests must
notice."""
