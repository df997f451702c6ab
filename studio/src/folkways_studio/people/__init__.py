"""Who takes part: accounts, sessions, invitations, participants and what is personal about them."""
