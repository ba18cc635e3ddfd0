"""Factor graphs.

A potential is a ``table``, interned in a pool, a ``count_potential`` or a ``noisy_max``, which
``count_factors`` makes of what users write; variables and states have ``names``; ``evidence`` says
what was observed. ``counted`` adds counts to a graph. A ``factor_graph`` is all of this in arrays.
The ``builder`` makes one, after ``checks`` of scopes and shapes. ``summary`` counts what it
consists of, and ``bayesian_network`` finds the factor that is the distribution of each variable.
One looks around in a graph through ``looking``, which returns ``views`` of its variables and
factors, and ``conditional`` distributions; these know it as a ``graph_protocol``.
"""
