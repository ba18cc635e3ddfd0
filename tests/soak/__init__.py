"""The campaign: random attacks on the library, for as long as it is told (``make soak MINUTES=…``).

An area (``areas/``, a file for each subject; ``areas.AREAS`` is the table) draws a case from a
seed, checks it, and says which cases are smaller. A case is plain data, so that one that fails is
kept as a file in ``tests/regressions``, from where ``tests/test_regressions.py`` checks it again.
``models`` draws models as data and builds them. ``attempt`` checks one case and says what was
wrong; ``limits`` bounds its time and memory; ``shrinking`` makes it small; ``storing`` keeps it.
``worker`` does so in a process of its own, which may crash. ``journal`` remembers what was tried,
and ``campaign`` runs it all.
"""
