"""What takes long: bots' decisions, hints and the analysis of ended games."""
