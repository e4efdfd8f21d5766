"""Command line of sigprop, with one module for each command or group of commands."""
