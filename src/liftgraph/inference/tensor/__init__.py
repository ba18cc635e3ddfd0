"""Tensor programs, shared by ground and lifted elimination, and their one evaluator.

``tensors`` has the operations: products, powers, lookups and convolutions of tables; ``counting``
and ``lookups`` have the integers these need. For plain elimination, ``elimination_order`` finds an
order, ``contraction_tree`` turns it into steps, ``outline`` tells them, and ``sections`` turns them
into products; where tables only add, ``added_up`` makes each ``convolution``. ``memory`` predicts
the bytes needed, ``evaluation`` runs forwards (one ``contraction`` after the other), ``backward``
traces the weight back, ``backtracking`` finds states that attain a maximum, and ``drawing`` draws
states at random, by ``chance``; ``cases`` multiplies tensors at many states at once.
"""
