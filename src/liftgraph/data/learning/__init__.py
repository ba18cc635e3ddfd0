"""Learning potentials: from a structure and sources of data to a factor graph.

``learn`` runs the steps. ``skeletons`` says which factors there are and which states variables
have; ``sources`` reads tables and finds the columns that observe each variable; ``choosing``
decides which sources a factor is counted in, and ``counting`` counts there exactly. ``possible``
refuses counts that rule out every assignment; ``tables`` makes potentials of counts; ``learnt`` is
the result and reports its support. ``priors`` are added to counts, and ``tying`` adds up those of
variables that share a table.

Missing values are completed by expectation maximisation (``em`` says how it is asked for):
``observed_rows`` puts equal rows of all sources together, ``expected_counts`` counts what they
observe and expects the rest, ``maximising`` iterates, and ``completing`` does so for a network.
"""
