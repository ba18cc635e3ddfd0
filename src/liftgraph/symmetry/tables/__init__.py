"""Which tables say the same, up to a scale and the order of their arguments.

``axis_sums`` adds up what lies beyond some arguments; ``commutative`` finds the arguments that may
be permuted freely. With both, ``alignment`` searches for the order of arguments that takes one
table to another, and ``symmetries`` for the orders that take a table to itself; ``orbits`` applies
these to rows of colours. ``canonical`` chooses one order for all tables that differ only in order.
``exchangeable`` puts it together: DEFT with a scale, and classes of tables; ``near`` adds
tolerance.
"""
