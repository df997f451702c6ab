"""The Hugging Face hub: a run's judgements as a data set, its scores in a model's repository, and both pushed
there."""
