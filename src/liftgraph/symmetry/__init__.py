"""Which variables and factors are interchangeable."""
