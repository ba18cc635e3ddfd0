"""Engines of colour passing: from initial colours to the coarsest stable ones.

``engine`` says what an engine takes and returns, ``registry`` has all of them by name. ``rounds``
repeats rounds until nothing changes and picks a way for each that depends on how much changed:
``arrays`` for many edges at once, ``worklist`` for a few, one by one, and ``compiled`` for the same
with numba. They share ``grouping``, which splits groups by hashed, then verified, signatures.

``torch_engine`` visits the whole graph in each round, on a graphics card or on the CPU.
``torch_incidence`` is the graph there, ``torch_rounds`` passes hashes, ``torch_verification`` tells
whether what they found is stable, ``torch_refinement`` repeats both until it is,
``torch_groups`` numbers what is equal, and ``torch_memory`` refuses what is too large.
"""
