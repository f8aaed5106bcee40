# SPDX-License-Identifier: MIT
"""The pictures of docs/: what ../plot.py draws, a module for each subject."""
