"""Text, language by language: segmenters and lemmatisers behind one registry, normal forms, scripts,
refusals."""
