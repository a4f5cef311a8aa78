"""Pure total decisions: every business question has one function here that answers it."""
