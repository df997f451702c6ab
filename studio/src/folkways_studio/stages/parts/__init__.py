"""Parts: what a stage can ask, one object per type. A form of a study and the built-in kinds are written in
them."""
