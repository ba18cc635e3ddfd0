"""Models and data: tables as relations, as evidence, and as what potentials are learnt from."""
