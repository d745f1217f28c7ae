"""The hot loops: `generic` says what each computes, `cpu` does the same fast, `choose` decides."""
