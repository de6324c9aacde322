"""Pages, forms and live updates for people."""
