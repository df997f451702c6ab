"""How long a leaderboard takes, and how large it is."""
