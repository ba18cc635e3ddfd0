"""Bayesian networks in XMLBIF 0.3, the XML Interchange Format: ``.xmlbif`` (or ``.bifxml``, …).

``reader`` collects elements while the parser of the standard library goes through the file;
``writer`` writes an element for each variable, and one for each distribution.

::

    <BIF VERSION="0.3"><NETWORK><NAME>Dog problem</NAME>
    <VARIABLE TYPE="nature"><NAME>out</NAME><OUTCOME>yes</OUTCOME><OUTCOME>no</OUTCOME></VARIABLE>
    <VARIABLE TYPE="nature"><NAME>light</NAME><OUTCOME>on</OUTCOME><OUTCOME>off</OUTCOME></VARIABLE>
    <DEFINITION><FOR>out</FOR><TABLE>0.15 0.85</TABLE></DEFINITION>
    <DEFINITION><FOR>light</FOR><GIVEN>out</GIVEN><TABLE>0.6 0.4 0.05 0.95</TABLE></DEFINITION>
    </NETWORK></BIF>

The states of the first GIVEN are outermost, and the variable itself changes fastest. White space
around names does not count. The name of the network and properties are skipped; decisions,
utilities, anything else that is not shown above, and entities that a file declares are refused.
"""

from liftgraph.io.xmlbif.reader import read
from liftgraph.io.xmlbif.writer import losses, write

__all__ = ["losses", "read", "write"]
