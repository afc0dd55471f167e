"""What looks at games from outside: analysis, benchmarks, the rules as text."""
