"""What an unexpected error leaves in the log."""

import logging

import pytest

from dormouse.api.wire import log_failure


def test_an_unexpected_error_is_logged_by_kind_and_place_alone(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(logging.getLogger("dormouse"), "propagate", True)
    try:
        raise ValueError("the staging server is at 10.0.0.5")
    except ValueError as error:
        log_failure("a request", error)
    assert "ValueError" in caplog.text
    assert "test_log.py" in caplog.text
    assert "staging" not in caplog.text
