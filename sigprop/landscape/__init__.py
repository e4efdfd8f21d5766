"""Slices of loss landscapes, and parametrisations with constant curvature."""

from typing import TYPE_CHECKING

from sigprop.numerics.exports import export

if TYPE_CHECKING:
    from sigprop.landscape.explorer import explore as explore
    from sigprop.landscape.explorer import fragment as fragment
    from sigprop.landscape.optimal_parametrisations import (
        OptimalParametrisation as OptimalParametrisation,
    )
    from sigprop.landscape.optimal_parametrisations import speed as speed
    from sigprop.landscape.planes import Projection as Projection
    from sigprop.landscape.planes import project as project
    from sigprop.landscape.planes import sharpest as sharpest
    from sigprop.landscape.planes import spanning as spanning
    from sigprop.landscape.slices import Quadratic as Quadratic
    from sigprop.landscape.slices import direction as direction
    from sigprop.landscape.slices import moved as moved
    from sigprop.landscape.slices import normalise as normalise
    from sigprop.landscape.slices import only_parameters as only_parameters
    from sigprop.landscape.slices import quadratic as quadratic
    from sigprop.landscape.slices import second_difference as second_difference
    from sigprop.landscape.slices import slices as slices
    from sigprop.landscape.slices import surface as surface
    from sigprop.landscape.slices import units as units

export(__name__)
