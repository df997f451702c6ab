"""What BLEnD costs here and in the authors' programs."""
