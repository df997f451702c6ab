"""What is done with a study from elsewhere: on this machine's workspace, on a server through its API, and at
Prolific."""
