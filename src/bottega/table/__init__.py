"""The table: people and bots play in the browser or by the JSON API. Knows no game by name."""
