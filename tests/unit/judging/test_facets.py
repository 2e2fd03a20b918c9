"""What a model mixes up is told apart by the words that say it outright."""

import pytest

from dormouse.judging import as_fact, facets
from dormouse.judging.embedded import EmbeddedJudge
from dormouse.judging.ladder import Ladder
from dormouse.judgments import Verdict

MATTERS = [
    ("The search service is run by Maria.", "The search service has moved to Falkenstein."),
    ("搜索服务由小张负责。", "搜索服务现在部署在上海机房。"),
    ("消息队列用 Kafka。", "消息队列现在由小何负责。"),
    ("登录服务用 Java 写的。", "登录服务现在部署在北京。"),
    ("许可证服务器地址是 10.9.0.1。", "许可证服务器现在由小郑管理。"),
]
CHANGES = [
    ("The search service is run by Maria.", "Otto looks after the search service now."),
    ("The search service is run by Maria.", "Maria handed the search service over to Otto."),
    ("搜索服务由小张负责。", "搜索服务现在由小周负责。"),
    ("搜索服务由小张负责。", "小张走了,搜索服务找小周。"),
    ("The docs are hosted on Read the Docs.", "The docs have moved to GitHub Pages."),
    ("der Praktikant wird von Tjark betreut", "um den Praktikanten kümmert sich jetzt Silke"),
]
LENGTHS = [
    ("日志保留 72 小时。", "日志现在保留三天。", True),
    ("重试间隔是 60 秒。", "重试间隔现在是一分钟。", True),
    ("缓存保留半小时。", "缓存现在保留 30 分钟。", True),
    ("日志保留 72 小时。", "日志现在保留五天。", False),
    ("开票后三十天内付清", "账期延到六十天", False),
    ("一天吃一片", "一天两片", False),
]


def says(older: str, newer: str) -> Verdict:
    """What the ladder says where its model is sure of a change."""
    sure = EmbeddedJudge(lambda pairs: [[1.0, 0.0, 0.0]] * len(pairs))
    first = as_fact(older, "2026-03-02T09:00:00Z", id="a")
    return Ladder([sure])(first, as_fact(newer, "2026-06-02T09:00:00Z", id="b")).verdict


@pytest.mark.parametrize(("older", "newer"), MATTERS)
def test_who_runs_a_thing_is_no_change_of_where_it_is(older: str, newer: str) -> None:
    assert facets.apart(older, newer)
    assert facets.apart(newer, older)
    assert says(older, newer) is Verdict.KEEP


@pytest.mark.parametrize(("older", "newer"), CHANGES)
def test_a_change_of_one_matter_is_left_to_the_judge(older: str, newer: str) -> None:
    assert not facets.apart(older, newer)
    assert says(older, newer) is Verdict.SUPERSEDE


@pytest.mark.parametrize(("older", "newer", "same"), LENGTHS)
def test_one_length_of_time_in_two_units_is_no_change(older: str, newer: str, same: bool) -> None:
    assert facets.same_length(older, newer) is same
    assert says(older, newer) is (Verdict.UNSURE if same else Verdict.SUPERSEDE)
