"""Recurrent layers of the papers, one file for each, with one common interface.

A layer is called on a whole sequence, or runs input by input with ``step``.  It also has
``states``, ``eigenvalues``, and ``groups`` for the optimiser.

``tests/test_laws.py`` checks the same properties of every layer: parallel and sequential
runs agree, and gradients match finite differences.  Outputs of causal layers ignore later
inputs, and stable layers have ``|lambda| <= 1``.

    >>> import jax
    >>> from sigprop.layers import rotrnn
    >>> u = jax.random.normal(jax.random.key(1), (1000, 8))
    >>> layer = rotrnn(16, 8, key=jax.random.key(0), heads=4)
    >>> layer(u).shape, bool(abs(layer.eigenvalues()).max() <= 1)
    ((1000, 8), True)

Two papers initialise differently in print and in their released code.  ``zucchet_lru`` and
``rotrnn`` follow the papers, ``released_zucchet_lru`` and ``released_rotrnn`` the code.
"""

from typing import TYPE_CHECKING

from sigprop.numerics.exports import export

if TYPE_CHECKING:
    from sigprop.layers.attention import CausalAttention as CausalAttention
    from sigprop.layers.attention import causal_attention as causal_attention
    from sigprop.layers.base import Layer as Layer
    from sigprop.layers.base import count_parameters as count_parameters
    from sigprop.layers.base import parameters as parameters
    from sigprop.layers.base import replace as replace
    from sigprop.layers.bidirectional_lru import BidirectionalLRU as BidirectionalLRU
    from sigprop.layers.bidirectional_lru import bidirectional_lru as bidirectional_lru
    from sigprop.layers.blur import BLUR as BLUR
    from sigprop.layers.blur import blur as blur
    from sigprop.layers.complex_diagonal import ComplexDiagonal as ComplexDiagonal
    from sigprop.layers.complex_diagonal import complex_diagonal as complex_diagonal
    from sigprop.layers.complex_diagonal import complex_lru as complex_lru
    from sigprop.layers.delta_product import DeltaProduct as DeltaProduct
    from sigprop.layers.delta_product import delta_product as delta_product
    from sigprop.layers.deltanet import DeltaNet as DeltaNet
    from sigprop.layers.deltanet import GatedDeltaNet as GatedDeltaNet
    from sigprop.layers.deltanet import deltanet as deltanet
    from sigprop.layers.deltanet import gated_deltanet as gated_deltanet
    from sigprop.layers.dense import LinearRNN as LinearRNN
    from sigprop.layers.dense import NonlinearRNN as NonlinearRNN
    from sigprop.layers.dense import block_rnn as block_rnn
    from sigprop.layers.dense import linear_rnn as linear_rnn
    from sigprop.layers.dense import nonlinear_rnn as nonlinear_rnn
    from sigprop.layers.gated import ConstantGate as ConstantGate
    from sigprop.layers.gated import GatedUnit as GatedUnit
    from sigprop.layers.gated import constant_gate as constant_gate
    from sigprop.layers.gated import gated_unit as gated_unit
    from sigprop.layers.gla import GLA as GLA
    from sigprop.layers.gla import gla as gla
    from sigprop.layers.gru import GRU as GRU
    from sigprop.layers.gru import chrono_times as chrono_times
    from sigprop.layers.gru import gru as gru
    from sigprop.layers.hgrn2 import HGRN2 as HGRN2
    from sigprop.layers.hgrn2 import hgrn2 as hgrn2
    from sigprop.layers.linoss import LinOSS as LinOSS
    from sigprop.layers.linoss import linoss as linoss
    from sigprop.layers.lru import LRU as LRU
    from sigprop.layers.lru import lru as lru
    from sigprop.layers.lru import lru_from_arrays as lru_from_arrays
    from sigprop.layers.lru import released_zucchet_lru as released_zucchet_lru
    from sigprop.layers.lru import zucchet_lru as zucchet_lru
    from sigprop.layers.lstm import LSTM as LSTM
    from sigprop.layers.lstm import lstm as lstm
    from sigprop.layers.lstm import tallec_times as tallec_times
    from sigprop.layers.mamba3 import Mamba3 as Mamba3
    from sigprop.layers.mamba3 import mamba3 as mamba3
    from sigprop.layers.matrix_gated import MatrixGated as MatrixGated
    from sigprop.layers.mingru import MinGRU as MinGRU
    from sigprop.layers.mingru import mingru as mingru
    from sigprop.layers.mlstm import MLSTM as MLSTM
    from sigprop.layers.mlstm import mlstm as mlstm
    from sigprop.layers.projected import InputGated as InputGated
    from sigprop.layers.released_rotrnn import (
        released_bidirectional_rotrnn as released_bidirectional_rotrnn,
    )
    from sigprop.layers.released_rotrnn import released_rotrnn as released_rotrnn
    from sigprop.layers.released_rotrnn import (
        rotrnn_from_released as rotrnn_from_released,
    )
    from sigprop.layers.rglru import RGLRU as RGLRU
    from sigprop.layers.rglru import rglru as rglru
    from sigprop.layers.rotrnn import BidirectionalRotRNN as BidirectionalRotRNN
    from sigprop.layers.rotrnn import RotRNN as RotRNN
    from sigprop.layers.rotrnn import bidirectional_rotrnn as bidirectional_rotrnn
    from sigprop.layers.rotrnn import rotrnn as rotrnn
    from sigprop.layers.rwkv7 import RWKV7 as RWKV7
    from sigprop.layers.rwkv7 import rwkv7 as rwkv7
    from sigprop.layers.s4 import S4 as S4
    from sigprop.layers.s4 import s4 as s4
    from sigprop.layers.s4d import S4D as S4D
    from sigprop.layers.s4d import s4d as s4d
    from sigprop.layers.s5 import S5 as S5
    from sigprop.layers.s5 import s5 as s5
    from sigprop.layers.selective import Selective as Selective
    from sigprop.layers.selective import selective as selective
    from sigprop.layers.slstm import SLSTM as SLSTM
    from sigprop.layers.slstm import slstm as slstm
    from sigprop.layers.ssd import SSD as SSD
    from sigprop.layers.ssd import ssd as ssd
    from sigprop.layers.stack import Stack as Stack
    from sigprop.layers.stack import stack as stack
    from sigprop.layers.two_way import TwoWay as TwoWay
    from sigprop.layers.two_way import bgru as bgru
    from sigprop.layers.two_way import bidirectional_s4 as bidirectional_s4
    from sigprop.layers.two_way import blstm as blstm
    from sigprop.layers.two_way import brnn as brnn
    from sigprop.layers.two_way import two_way as two_way

export(__name__)
