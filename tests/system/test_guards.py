"""Every guard has a test that fails without it."""

import pytest

from tests import mutations
from tests.guards import GUARDS
from tests.source import needs_source


@needs_source
@pytest.mark.slow
def test_taking_any_guard_away_makes_its_test_fail(capsys: pytest.CaptureFixture[str]) -> None:
    killed = mutations.all_killed(GUARDS)
    with capsys.disabled():
        print("\n" + capsys.readouterr().out)
    assert killed
