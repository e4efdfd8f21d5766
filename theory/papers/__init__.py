"""Every statement of the papers as printed, linked to what is derived; by its part."""

PARTS = {
    "zucchet": (
        "zucchet",
        "zucchet_models",
        "zucchet_lemmas",
        "zucchet_landscape",
        "zucchet_hessian",
        "zucchet_experiments",
    ),
    "lru": ("lru", "lru_equations", "lru_text"),
    "rotrnn": ("rotrnn", "rotrnn_text"),
    "blur": ("blur", "blur_text"),
    "sigprop": ("sigprop", "zucchet_hessian_ours"),
}
