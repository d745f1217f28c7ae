"""The command that all others belong to."""

from cyclopts import App

import protospot as ps

app = App(
    name="protospot",
    help="A few weighted rows that stand for a data set.",
    version=ps.__version__,
    help_format="markdown",
)
app.register_install_completion_command()
