"""All bugs of the gallery, by name."""

from dpviz.testing.gallery import noise, programs, sparse_vector

BUGS = {**noise.BUGS, **programs.BUGS, **sparse_vector.BUGS}
