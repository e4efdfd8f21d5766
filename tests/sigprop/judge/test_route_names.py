"""Names of routes, as a reader knows them."""

import pytest

from sigprop.judge.route_names import NAMES, name, short
from sigprop.ledger.catalogue import routes_of
from tests.rows import rows

ROUTES = sorted({route for row in rows().values() for route in routes_of(row)})


@pytest.mark.parametrize("route", ROUTES)
def test_every_route_has_words_for_a_reader(route):
    for words in (name(route), short(route)):
        assert "_" not in words
        assert len(words) >= 3
    assert len(short(route)) <= 21


def test_no_name_is_left_of_a_route_that_no_row_takes():
    assert NAMES.keys() <= set(ROUTES)
