"""The running server: who comes in and how often, in how many processes, watched by whom."""
