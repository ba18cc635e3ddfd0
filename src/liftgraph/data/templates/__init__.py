"""Templates: rules for individuals that data will name, and the models they become.

``template`` is what users write, made of ``rules``. ``instantiation`` turns it into a model:
``individuals`` finds out which individuals each domain has, ``observations`` what was observed of
them, and ``relation_rows`` for which rows each rule holds. If all rules hold for all substitutions,
the model is lifted as it is; otherwise ``ground_rows`` makes a factor graph of the rows, in arrays.
``on_disk`` does the same in SQL, for relations and graphs that do not fit into memory. ``learning``
finds the potentials of rules that have none, on their ground model (``grounded_rules``).
"""
