"""Benchmarks: speeds as ratios against a peer in the same run, outputs verified."""
