"""From a model and a question to an answer: plan first, then run.

``answer`` is the front door, ``sample`` that of samples, and ``explain`` that of plans;
``likelihoods`` and ``counts`` turn questions with uncertain evidence and questions about counts
into others; ``methods`` chooses the method, which makes the plan.
``ground`` cuts a graph down to what matters and orders its elimination; ``lifted`` shatters a
parametric factor graph and applies lifted operators until no logvar is left. Both write tensor
programs; ``tensor`` evaluates them, forwards and backwards.
``normalising`` turns weights into probabilities, ``weight`` is that of one assignment, and
``trade_off`` tries tolerances.
"""
