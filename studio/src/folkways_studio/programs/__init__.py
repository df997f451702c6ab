"""Who may use the API of a study, and whom it tells what happens there."""
