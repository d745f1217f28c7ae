"""Benchmarks: protospot beside its peers and beside the machine's own limits.

`python -m benchmarks --help`, or `make bench`. docs/benchmarks/README.md says how to read them.
"""
