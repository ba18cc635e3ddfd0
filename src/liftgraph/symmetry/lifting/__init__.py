"""From a factor graph to a parametric factor graph that grounds to it exactly.

``lift`` passes colours, asks ``structure`` for the logvars behind them, and singles out individuals
until all groups are described. Then ``naming`` finds names for domains and PRVs in the names of the
variables, and ``lifted_model`` writes down parfactors, together with what it takes to get the given
factors back. In the end ``lift`` grounds the model and compares it with the given graph.
"""
