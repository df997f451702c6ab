"""What has been published about systems of SemEval-2026 Task 7. Only the numbers are here."""
