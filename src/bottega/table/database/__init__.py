"""What outlasts a server: the tables of the database, how they are read and changed."""
