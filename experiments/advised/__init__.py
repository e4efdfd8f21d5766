"""Trainings with the initialisation of ``sigprop advise``, compared with the default one."""
