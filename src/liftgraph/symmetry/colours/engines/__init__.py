"""Engines of colour passing: from initial colours to the coarsest stable ones.

``engine`` says what an engine is given and what it returns, ``registry`` knows all of them by
name. ``rounds`` repeats rounds until nothing changes and picks, for each of them, the way that
fits how much changed: ``arrays`` for many edges at once, ``worklist`` for a few, one by one, and
``compiled`` for the same with numba. ``grouping`` is what they share: groups that are split by
hashed, then verified, signatures.
"""
