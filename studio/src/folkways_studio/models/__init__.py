"""Models in the loop, and answers of models for people to judge."""
