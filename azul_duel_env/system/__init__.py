"""The world outside: files, signals, and what strangers wrote."""
