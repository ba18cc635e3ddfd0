"""Which tables say the same, up to a scale and the order of their arguments.

``commutative`` finds the arguments that may be permuted freely. ``labelling`` searches for a
canonical order of the others and for the ``symmetries`` of the table, with a partition of the
arguments that ``refinement`` makes finer; ``canonical`` chooses one order for all tables that
differ only in order, and ``orbits`` applies symmetries to rows of colours. ``order_within``
searches for an order that takes one table between bounds; ``near`` compares tables with a tolerance
that way. ``axis_sums`` and ``buckets`` tell arguments and entries apart before anything is
searched, and ``budget`` says when a search is given up. ``exchangeable`` puts it together: DEFT
with a scale, and classes of tables.
"""
