"""Easy and Hard made of votes (paper, sections 3.2 and 3.3), and questions sorted into topics: rules alone,
no input or output."""
