"""Lifted variable elimination: from a parfactor graph to an answer without grounding it.

``parts.py``, with ``facts.py`` and ``fact_colours.py``, cuts domains into parts that neither
evidence nor question tells apart; ``nesting.py`` says which domains are cut inside of others.
``placements.py`` says in which parts the logvars of a parfactor may be, ``shards.py`` which
variables of a PRV are then interchangeable. ``shattering.py``, with ``counted_arguments.py``, turns
the model into ``terms.py``: parfactors over shards. ``elimination.py`` applies ``operators`` to
them, the cheapest first, until no logvar is left; where none applies, ``compile.py`` tells the
individuals of a domain apart and starts anew. The rest is plain elimination. ``plan.py`` adds the
memory it needs (``memory.py``: that of the answer), ``outline.py`` describes it, ``run.py`` carries
it out, with ``readings.py`` for distributions and ``explanation.py`` for most probable assignments:
``decisions.py`` chooses states, ``colourings.py`` counts the potentials there. ``sampling`` draws
states.
"""
