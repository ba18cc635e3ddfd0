"""Samples by lifted elimination: histograms first, then who.

A step that summed shards out of a product of terms tells the distribution of a variable given its
surroundings, which is the same for all substitutions, and they are independent. So all that has to
be drawn is how many substitutions with these surroundings get each state; which ones is a random
arrangement. ``steps`` lists what is drawn, ``cells`` draws how many individuals of a part are in
each joint state. ``histograms`` is what is drawn at once; ``surroundings`` counts those of several
individuals, ``individuals`` writes samples out, and ``drawn`` answers what is read. ``sampler`` is
where this starts.
"""
