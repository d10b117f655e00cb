"""Options that several commands share, each described and checked in one place."""
