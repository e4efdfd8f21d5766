"""All rows, and the public classes that have none."""

from tests.arguments import Row, inputs, layers, linear, networks, tasks

ROWS: dict[str, Row] = {
    **inputs.ROWS,
    **layers.ROWS,
    **networks.ROWS,
    **linear.ROWS,
    **tasks.ROWS,
}

# Rows that take most of the time of the whole table: of which each call compiles anew, and
# layers that are built like another one of the table.
SLOW = {
    f"sigprop.{name}"
    for name in [
        "networks.predict_signals",
        "testing.assert_moment",
        "networks.predict_errors",
        "linear.responses",
        "linear.stationary_loss",
        "linear.measure",
        "landscape.quadratic",
        "networks.forecast",
        "landscape.normalise",
        "linear.exact",
        "curvature.expand",
        "networks.state_powers",
        "audit.audit_checkpoint",
        "advice.advise",
        "audit.audit_forecaster",
        "linear.linearise",
        "tasks.load_task",
        "linear.predict_gated",
        "linear.predict",
        "advice.predict_initialisation",
        "landscape.second_difference",
        "linear.stationary_target",
        "audit.audit",
        "linear.diagonalise",
        "linear.perturb",
        "tasks.Forecasts",
        "networks.first_states",
        "networks.over_batch",
        "landscape.slices",
        "curvature.quadrature",
        "sensitivity",
        "second_moments",
        "sample_ring",
        "layers.blur",
        "layers.bidirectional_lru",
        "layers.complex_lru",
        "layers.zucchet_lru",
        "layers.released_zucchet_lru",
        "layers.complex_diagonal",
        "layers.block_rnn",
        "layers.nonlinear_rnn",
        "layers.s5",
        "layers.s4",
        "layers.bidirectional_s4",
        "layers.bidirectional_rotrnn",
        "layers.released_rotrnn",
        "layers.released_bidirectional_rotrnn",
        "layers.bgru",
        "layers.lstm",
        "layers.gla",
        "layers.selective",
        "layers.ssd",
        "layers.delta_product",
        "layers.mamba3",
        "layers.hgrn2",
        "layers.mlstm",
        "layers.rwkv7",
        "layers.slstm",
        "layers.gated_deltanet",
        "layers.s4d",
        "landscape.moved",
        "linear.state_moments",
        "audit.summarise",
        "audit.autocovariance",
    ]
}

# Classes that users name but do not call: layers and networks, which functions draw, data,
# which functions read and check, and results.  They hold what they are given.
_RECORDS = {
    "sigprop": "Estimate GaussianProcess",
    "sigprop.advice": "Advice Predicted",
    "sigprop.audit": "Checked Series",
    "sigprop.audit.foreign": "LayerChecked",
    "sigprop.audit.lint": "Finding Report Rule",
    "sigprop.curvature": "Expansion GaussNewton Hessian",
    "sigprop.landscape": "Projection Quadratic",
    "sigprop.layers": (
        "BLUR BidirectionalLRU BidirectionalRotRNN CausalAttention ComplexDiagonal "
        "ConstantGate DeltaNet DeltaProduct GLA GRU GatedDeltaNet GatedUnit HGRN2 InputGated "
        "LRU LSTM Layer LinOSS LinearRNN MLSTM Mamba3 MatrixGated MinGRU NonlinearRNN RGLRU "
        "RWKV7 RotRNN S4 S4D S5 SLSTM SSD Selective Stack TwoWay"
    ),
    "sigprop.linear": "BoundedMoment Modes Perturbed",
    "sigprop.neuron": "GatedLayer Moved Neurons Part Readout Reads",
    "sigprop.networks": "Network Signal TwoTowers",
    "sigprop.networks.foreign": (
        "Checkpoint Family ForeignLayer Named Rest Skipped Survey Tensor"
    ),
    "sigprop.tasks": "Batch Coordinates DataSet Errors Examples Table TeacherStudent Windows",
    "sigprop.testing": "Answer Process Recurrence Setting Trajectory",
}
RECORDS = {f"{module}.{n}" for module, names in _RECORDS.items() for n in names.split()}
