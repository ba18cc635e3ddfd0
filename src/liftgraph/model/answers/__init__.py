"""The answers to questions, as data.

A ``Marginal`` is the distribution of one variable or of several, ``Marginals`` are those of all
variables, a ``Partition`` is the total weight and an ``Assignment`` a most probable one; a
``JointState`` is a most probable one of some variables, the others summed out.
Each says by which method it was computed and how far off it may be; ``frames`` turns them
into data frames.
"""
