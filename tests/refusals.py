"""What protospot says when it refuses."""

import re

import pytest

import protospot as ps


def said(call, *args, error=ps.InputError, **options):
    """The sentence of the error that a call must raise; any other error fails the test."""
    with pytest.raises(error) as caught:
        call(*args, **options)
    text = str(caught.value)
    assert re.fullmatch(r"\S.*[^.][.?]", text), text
    return text
