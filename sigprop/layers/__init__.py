"""Every recurrent layer of the papers, one file each, one contract.

A call on a sequence, ``step`` for one input, ``states``, ``eigenvalues``, and the
optimiser's ``groups``.  All hold to one table of laws, ``tests/test_laws.py``, where a new
layer is one line: parallel is step by step is convolution, the past alone matters,
gradients are finite differences, ``|lambda| <= 1`` wherever that is claimed.

    >>> import jax
    >>> from sigprop.layers.rotrnn import rotrnn
    >>> u = jax.random.normal(jax.random.key(1), (1000, 8))
    >>> layer = rotrnn(jax.random.key(0), 16, 8, heads=4)
    >>> layer(u).shape, bool(abs(layer.eigenvalues()).max() <= 1)
    ((1000, 8), True)

Where the authors' released code starts otherwise than their paper says, both are here:
``zucchet_lru`` and ``rotrnn`` follow the paper, ``released_zucchet_lru`` and
``released_rotrnn`` the code.
"""
