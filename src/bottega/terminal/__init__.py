"""The games in a terminal: playing, replaying, and what the command shows about games and kits."""
