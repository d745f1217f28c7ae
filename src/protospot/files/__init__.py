"""Tables from files, and selections to files."""

from protospot.files.output import write
from protospot.files.table import Table, read

__all__ = ["Table", "read", "write"]
