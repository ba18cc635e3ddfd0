"""Colour passing on Spark, for graphs on disk that fit into the memory of no single machine.

``on_spark`` is the front door; ``run`` does it from start to end, and notes ``checkpoints``.
``preparation`` reads the graph, has it checked (``checks``) and gives variables their initial
colours; ``rounds`` passes colours, as 64-bit hashes, with two group-bys a round; ``verification``
compares all members of each group exactly at the fixed point. ``groups`` fetches the quotient, and
numbers the groups as colour passing in memory does. ``dictionary`` has what is small of a graph,
``exchanges`` the tables with symmetries that are not swaps, ``storage`` the files of a run,
wherever Spark can read and write; ``session`` starts Spark. ``results`` lifts from the colours
where the graph fits into memory.
"""
