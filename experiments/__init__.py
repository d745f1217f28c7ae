"""The paper's experiments, each one command: `python -m experiments NAME --data DIR --out DIR`."""
