"""Measures the budgets of the product on generated homes: `make bench`."""
