"""Inference day by day, on counts.

Given how many individuals are in which states (and the variables without logvars), the individuals
of a dynamic model are alike and independent. So a day is a distribution over histograms, and a step
distributes the individuals of one state after another (``transitions``) in a few linear ``stages``,
forwards or backwards, in any ``arithmetic``. ``cells`` says what is counted, ``kernels`` what an
individual's step weighs, ``parts`` which individuals are told apart on which day, ``slices`` what a
day and a step do to a distribution, ``passes`` does this for all days, and ``answers`` reads
answers off.
"""
