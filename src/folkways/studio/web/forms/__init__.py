"""One module per kind of stage: from the fields of its page to the submission that the stage's rules take."""
