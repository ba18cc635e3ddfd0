"""From a model and a question to an answer: plan first, then run.

``answer`` is the front door; ``methods`` chooses the method, which plans. ``ground`` cuts a graph
down to what matters and orders its elimination; ``lifted`` shatters a parametric factor graph and
applies lifted operators until no logvar is left. Both write down the same tensor program, and
``tensor`` evaluates it, forwards and backwards. ``normalising`` makes probabilities of weights.
"""
