"""What has been published about models on Global PIQA, from before its data changed. Only the numbers are
here."""
