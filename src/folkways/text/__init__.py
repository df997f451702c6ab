"""Text, language by language: segmenters and lemmatisers in one registry, normal forms, scripts, refusals."""
