"""The items of a study: import, search, lineage, discussion and near-duplicates."""
