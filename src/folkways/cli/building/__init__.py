"""``folkways build``: questions from what people wrote."""
