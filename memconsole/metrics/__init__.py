"""Figures for Prometheus: a file for the node exporter, or an endpoint on 127.0.0.1 (A21)."""
