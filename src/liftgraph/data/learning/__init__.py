"""Learning potentials by counting: from a structure and sources of data to a factor graph.

``learn`` runs the steps. ``skeletons`` says which factors there are and which states variables
have; ``sources`` reads tables and finds the columns that observe each variable; ``choosing``
decides which sources a factor is counted in, and ``counting`` counts there exactly. ``possible``
refuses counts that rule out every assignment; ``learnt`` is the result and reports its support.
"""
