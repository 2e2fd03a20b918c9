"""Modality: only a plain statement about now may retire anything."""

import pytest

from dormouse.slots import Modality, read


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("We plan to move the queue to NATS.", Modality.PLAN),
        ("We will deploy on Tuesdays.", Modality.PLAN),
        ("From next Monday we deploy on Tuesdays.", Modality.PLAN),
        ("We're migrating the tests to Vitest.", Modality.PLAN),
        ("set the port to 9090", Modality.PLAN),
        ("Wir wollen auf pnpm umsteigen.", Modality.PLAN),
        ("Ab Montag deployen wir dienstags.", Modality.PLAN),
        ("Der Server wird nächste Woche umziehen.", Modality.PLAN),
        ("我们打算换成 pnpm。", Modality.PLAN),
        ("数据库正在迁移到 PostgreSQL。", Modality.PLAN),
        ("端口改成 9090 吧", Modality.PLAN),
        ("Do we use pnpm now?", Modality.QUESTION),
        ("is staging at 10.0.0.9", Modality.QUESTION),
        ("Deployen wir jetzt dienstags?", Modality.QUESTION),
        ("端口改成 9090 了吗", Modality.QUESTION),
        ("I think staging is at 10.0.0.9 now.", Modality.HEARSAY),
        ("Apparently Kofi is the on-call.", Modality.HEARSAY),
        ("Tom says we deploy on Tuesdays.", Modality.HEARSAY),
        ("Angeblich deployen wir dienstags.", Modality.HEARSAY),
        ("Laut Tom ist der Port 9090.", Modality.HEARSAY),
        ("听说部署改到周二了。", Modality.HEARSAY),
        ("> the port is 9090", Modality.QUOTE),
        ('The page has "we use pnpm now for everything" on it', Modality.QUOTE),
        ("Pasted from a forum: the port is 9090", Modality.QUOTE),
        ("The database was MySQL.", Modality.PAST),
        ("We used to deploy on Thursdays.", Modality.PAST),
        ("The rate limit had been 400 in January.", Modality.PAST),
        ("Früher haben wir npm genutzt.", Modality.PAST),
        ("Der Port war 8080.", Modality.PAST),
        ("我们以前用 npm。", Modality.PAST),
        ("This Wednesday's deploy is skipped.", Modality.TEMPORARY),
        ("For now the port is 9090.", Modality.TEMPORARY),
        ("Today the standup is at 11:00.", Modality.TEMPORARY),
        ("Bis Freitag ist der Port 9090.", Modality.TEMPORARY),
        ("Diese Woche deployen wir dienstags.", Modality.TEMPORARY),
        ("本周改到周二部署。", Modality.TEMPORARY),
        ("Use port 3001 if 3000 is taken.", Modality.CONDITIONAL),
        ("Falls 3000 belegt ist, ist der Port 3001.", Modality.CONDITIONAL),
        ("如果 3000 被占用，端口是 3001。", Modality.CONDITIONAL),
    ],
)
def test_what_is_no_plain_claim_is_known_by_its_cue(text: str, expected: object) -> None:
    assert read(text).modality is expected


@pytest.mark.parametrize(
    "text",
    [
        "The staging server is at 10.0.0.5.",
        "staging.example.com is at 10.0.0.5",
        "The port was changed to 9090.",
        "We moved the tests to Vitest last week.",
        "The tests moved to Vitest this week.",
        "Das Frontend wird mit Vite gebaut.",
        "Der Port wurde auf 9090 geändert.",
        "Der Nutzer will Antworten künftig auf Englisch.",
        "数据库是 PostgreSQL。",
        "测试用 Jest。",
        "站会改到上午十点了。",
        "虚拟机在 10.0.0.5。",
        "Deploy day is Thursday again, like it used to be.",
    ],
)
def test_a_plain_claim_is_not_mistaken_for_something_else(text: str) -> None:
    assert read(text).modality is Modality.ASSERTED


def test_the_past_may_be_only_the_first_half() -> None:
    statement = read("We used npm, now we use pnpm")
    assert statement.modality is Modality.ASSERTED
    assert (statement.old, statement.slot.value) == ("npm", "pnpm")


def test_a_change_of_today_is_a_change_but_a_meeting_of_today_is_an_exception() -> None:
    assert read("The server moved to 10.0.0.9 today").modality is Modality.ASSERTED
    assert read("The standup moved to 10:00 today").modality is Modality.TEMPORARY
