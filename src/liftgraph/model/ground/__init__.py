"""Factor graphs.

A potential is a ``table``, interned in a pool; variables and states have ``names``; ``evidence``
says what was observed. A ``factor_graph`` is all of this in arrays. The ``builder`` makes one,
after ``checks`` of scopes and shapes. ``summary`` counts what it consists of, and
``bayesian_network`` finds the factor that is the distribution of each variable.
"""
