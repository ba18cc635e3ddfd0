"""Programs of tensors, which ground and lifted elimination both are, and the one evaluator.

``tensors`` has the operations: products, powers and lookups of what is given; ``counting`` and
``lookups`` have the integers these need. For plain elimination, ``elimination_order`` finds an
order, ``contraction_tree`` turns it into steps, and ``sections`` into products. ``memory`` tells
what running takes, ``evaluation`` runs forwards (one ``contraction`` after the other),
``backward`` traces the weight back, and ``backtracking`` finds states that attain a maximum.
"""
