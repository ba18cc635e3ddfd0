"""Models of other libraries, to and fro; each library is loaded when it is first used."""
