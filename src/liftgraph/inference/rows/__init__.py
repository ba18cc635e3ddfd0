"""The same question for many rows of observations at once.

Rows are in ``groups`` by which variables they observe. ``parts`` takes the evidence of a group in,
except for its states: what is left are independent parts, whose tables are looked up row by row.
``plan`` orders the elimination of a part, once for all rows, and says what memory a row takes;
``run`` carries it out for as many rows at a time as fit. ``together`` does so for all parts of a
group, and for rows that are equal (``distinct``) once. ``one_by_one`` asks a query for each row
instead, where elimination takes too much memory. ``predictions`` is the front door.

How probable rows are, and what is expected of tables given them, needs no question: ``stacks``
puts the parts of all rows that are alike on top of one another, ``passes`` eliminates a stack
forward and backward, and ``likelihood`` adds up the weights of each row.
"""
