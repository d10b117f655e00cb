"""What commands read: the files, tables and rows that a command line names."""
