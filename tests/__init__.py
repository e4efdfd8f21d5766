"""The run-time type checker of the tests: an int is welcome where a float is asked."""

from beartype import BeartypeConf
from beartype import beartype as checker

beartype = checker(conf=BeartypeConf(is_pep484_tower=True))
