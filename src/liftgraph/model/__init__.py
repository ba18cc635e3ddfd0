"""Models as data: what is read, lifted, asked and drawn everywhere else.

``ground`` has factor graphs: tables, variables with named states, factors, and evidence. ``lifted``
has parametric factor graphs: the same, said once for many interchangeable variables. Both are
frozen: operations return a new model. ``arrays`` keeps their arrays read-only. A ``query`` says
what is asked, ``counts`` how many, ``plans`` what will be done, ``answers`` what came out;
``questions``, ``symmetric`` and ``notebook`` let the packages above answer, lift and draw models;
``listing`` and ``tabular`` are how models list what they have.
"""
