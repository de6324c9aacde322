"""Who sits at a table, whose turn it is, what they do, and what each of them sees."""
