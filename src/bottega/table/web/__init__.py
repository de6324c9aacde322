"""Pages and forms, live updates, and what stands before every request."""
