"""Most probable joint states: of some variables, the others summed out, and the best few of all.

``problem`` says what is asked of tables. ``sums_first`` sums out what is not asked for, then
maximises; where that makes too large tables, ``branch_and_bound`` searches, with ``upper_bounds``
from orders in which maxima may come before sums; ``choosing`` takes the one that fits.
``ground_map`` and ``lifted_map`` turn factor graphs and lifted models into such tables.
"""
