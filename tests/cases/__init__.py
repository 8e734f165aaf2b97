"""What every operator does, as tables of cases: batches of input, and what must come out. Every engine runs them."""
