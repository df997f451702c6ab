"""What can be done in a studio: functions on a workspace, each one transaction. See ``folkways.studio`` for the list."""
