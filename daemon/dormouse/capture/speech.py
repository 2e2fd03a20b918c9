"""Whose words are these? Covers everything in a prompt that is not the person speaking.

The cover has the same length as the prompt, so that a place found in it is a place in the prompt.
Quotes, code, logs, diffs, markup and long pastes are covered; when in doubt a part is covered,
because a statement that was missed can be said again, and a planted rule can't be unsaid.
"""

import re
from typing import NamedTuple

from dormouse.capture.ends import ends

BLOCK = "\x00"  # stands for a letter of a block: a statement ends here
INLINE = "\x01"  # stands for a letter inside quotes: part of the sentence, never a command

# A prompt longer than this is mostly pasted: only its first and last paragraph can command.
LONG = 1500
LONG_PARAGRAPHS = 4
PARAGRAPH = 2000
SENTENCE = 5000  # more than a fact can hold: a sentence that began in time is heard so much longer


class Voice(NamedTuple):
    """``cover`` hides what the person did not say; beyond ``sure`` only plain commands count.

    What begins between ``sure`` and ``again`` commands nothing: there only the end of a sentence is
    heard that began before. ``cut`` is where that was cut, and ``whole`` where it really ends.
    """

    cover: str
    sure: int
    again: int
    cut: int = -1
    whole: int = -1


def listen(text: str) -> Voice:
    """Cover what does not speak for the person. Linear in the length of *text*."""
    lines = text.translate(_UNSEEN).split("\n")
    kinds = _kinds(lines)
    covered = "\n".join(
        BLOCK * len(line) if block else line for line, block in zip(lines, kinds, strict=True)
    )
    if "<!" in covered or "<|" in covered or "[" in covered:
        covered = _ENCLOSED.sub(_cover_whole, covered)
    covered = _cover_markup(covered)
    covered = _INLINE.sub(_hush, covered).translate(_SAME)
    return _cover_paste(covered)


# Letters that nobody sees must not hide a fence or a quote mark from us.
_UNSEEN = dict.fromkeys([0xAD, *range(0x200B, 0x2010), 0x2060, 0xFEFF], " ")
_FENCE = re.compile(r"^\s{0,12}(?:[-*] +)?(`{3,}|~{3,}|\"{3}(?=\s*$)|'{3}(?=\s*$))")
_COMMENT_END = "-->"
_LIST = re.compile(r"^\s*(?:[-*•+]|\d{1,2}[.)])\s+\S")
_BLOCK_LINE = re.compile(
    r"^\s*(?:"
    r">|\|.*\|\s*$"  # quoted mail, block quotes, tables
    r"|[$❯➜%]\s|(?:PS )?[A-Za-z]:\\|\S+@\S+[:~]\S*[$#]\s"  # shell prompts
    r"|\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d|\[?\d\d:\d\d:\d\d|[A-Z][a-z]{2} +\d+ \d\d:\d\d:\d\d"
    r"|\[\d{1,2}:\d\d|\[?(?:INFO|WARN|WARNING|ERROR|DEBUG|TRACE|FATAL|CRITICAL|NOTICE)\]?\b[:\s\]]"
    r"|Traceback \(|File \"|at [\w$.<>/]+\(|\w+(?:Error|Exception):|npm (?:ERR|WARN|error)"
    r"|diff --git|@@ |index [0-9a-f]{6,}|(?:---|\+\+\+) \S|[+-](?=[^\s+-])"
    r"|[{}\[\]]\s*,?$|\"[^\"\n]{1,80}\"\s*:|<!--|//|/\*|\*/|#include|#!"
    r"|(?:User|Human|Assistant|System|AI|Nutzer|Benutzer|用户|助手)\s?[:：]"
    r"|\[(?:User|Human|Assistant|System)\]"
    r")"
)
_CODE_INDENT = re.compile(r"^(?: {4,}|\t)\s*\S")
_HEADING = re.compile(r"^#{1,6} +\S")
_INTRODUCES = re.compile(
    r"(?:\b(?:here(?:'s|’s| is| are)|(?:read|say|said|write|wrote|return|print|show|state|tell)s?"
    r"|told|readme|log|logs|output|error|trace|traceback|stacktrace|response|email|mail|message|issue|ticket"
    r"|description|docs?|documentation|comment|comments|paste|pasted|contents?|transcript|file"
    r"|snippet|article|text|quote|prompt|instructions?|spec|hier (?:ist|sind)|folgende[nrs]?"
    r"|sagte?|schrieb|schreibt|steht|lautet|meint|ausgabe|fehler|meldung|nachricht|datei|inhalt"
    r"|anleitung|doku|protokoll)\b.{0,60}|(?:说|写道|写着|如下|日志|输出|报错|错误|内容|文档|邮件|消息"
    r"|这是|下面是|以下是).{0,30})[:：]\s*$",
    re.IGNORECASE,
)
# A line that commands is never the introduction of a paste.
_COMMANDS = re.compile(
    r"^\W*(?:\w+[,!]? +){0,6}?(?:remember|note for later|keep in mind|bear in mind|don['’]?t forget"
    r"|from now on|pin this|memori[sz]e|make a note|merke?|merken|notier\w*|denk\w*|vergiss"
    r"|ab jetzt|ab sofort|notiz)\b|^\W*.{0,8}(?:记住|记一下|记下|牢记|别忘|从现在起|以后)",
    re.IGNORECASE,
)


def _kinds(lines: list[str]) -> list[bool]:
    """For each line whether it belongs to a block that is not speech."""
    kinds: list[bool] = []
    headings = sum(bool(_HEADING.match(line)) for line in lines)
    fence, diff, pasted, before = "", False, False, ""
    for number, line in enumerate(lines):
        mark = _FENCE.match(line)
        if fence:
            kinds.append(True)
            closes = mark and mark[1][0] == fence[0] and len(mark[1]) >= len(fence)
            if closes or (fence == _COMMENT_END and fence in line):
                fence = ""
            continue
        bare = line.strip()
        diff = bool(bare) and (diff or bool(re.match(r"diff --git|@@ |\+\+\+ ", line)))
        document = _HEADING.match(line) and (headings > 1 or len(lines) - number > 3)
        pasted = pasted or bool(document)
        code = _CODE_INDENT.match(line) and not (_LIST.match(line) and not pasted)
        if mark:
            fence = mark[1]
        elif bare.startswith("<!--") and _COMMENT_END not in bare:
            fence = _COMMENT_END
        quoted = bool(bare) and before == ">"
        block = bool(mark or pasted or diff or code or _BLOCK_LINE.match(line) or quoted)
        kinds.append(block)
        # The line under a quoted one belongs to the quote if that stops in mid-sentence.
        stops = bare.endswith((".", "!", "?", ":", "。", "！", "？", "："))
        before = ">" if (bare.startswith(">") or quoted) and not stops else ""
        if not block and _INTRODUCES.search(line[-200:]) and not _COMMANDS.match(line[:200]):
            pasted = True
    return kinds


# Comments, quotes of forums, the marks of chat templates: to their end, else to the text's end.
_ENCLOSED = re.compile(
    r"<!--.*?(?:-->|\Z)|<!\[CDATA\[.*?(?:\]\]>|\Z)|\[(quote|code)\b[^\]\n]{0,80}\].*?(?:\[/\1\]|\Z)"
    r"|<\|[a-z_]{1,20}\|>.*?(?:<\|(?:im_end|eot_id|end|endoftext)\|>|\Z)",
    re.IGNORECASE | re.DOTALL,
)


def _cover_whole(found: re.Match[str]) -> str:
    return _blank(found[0], BLOCK if "\n" in found[0] else "")


_TAG = re.compile(r"<(/?)([^\W\d_][\w:.-]{0,60})(?:\s[^<>]{0,600})?(/?)>")


def _cover_markup(text: str) -> str:
    """Cover each element from its first to its last tag; one that never ends, to the blank line."""
    tags = list(_TAG.finditer(text))
    if not tags:
        return text
    ends: dict[str, list[int]] = {}
    for tag in tags:
        if tag[1]:
            ends.setdefault(tag[2].lower(), []).append(tag.end())
    spans: list[tuple[int, int]] = []
    done = 0
    for tag in tags:
        if tag.start() < done:
            continue
        closing = ends.get(tag[2].lower(), [])
        if tag[1] or tag[3]:
            done = tag.end()
        elif closing and closing[-1] > tag.start():
            done = closing[-1]
        else:
            blank = text.find("\n\n", tag.end())
            starts_line = tag.start() == 0 or text[tag.start() - 1] == "\n"
            done = (len(text) if blank < 0 else blank) if starts_line else tag.end()
        spans.append((tag.start(), done))
    parts, at = [], 0
    for start, end in spans:
        parts += [text[at:start], _blank(text[start:end], BLOCK if "\n" in text[start:end] else "")]
        at = end
    return "".join([*parts, text[at:]])


def _blank(part: str, stand_in: str) -> str:
    return re.sub(r"[^\n]", stand_in or INLINE, part)


# Bounded, within one paragraph; a straight single quote must look like an opening one.
_INLINE = re.compile(
    r"`[^`\n]{1,400}`|\"[^\"\n]{1,400}\"|“[^”\n]{1,400}[”“]|„[^“”\"\n]{1,400}[“”\"]|«[^»\n]{1,400}»"
    r"|(?<!\w)\"(?=\S)(?:[^\"\n]|\n(?![ \t]*\n)){1,400}(?<=\S)\"(?!\w)"  # over several lines
    r"|»[^«\n]{1,400}«|‚[^‘’\n]{1,400}[‘’]|「[^」\n]{1,400}」|『[^』\n]{1,400}』|《[^》\n]{1,400}》"
    r"|‘[^’\n]{1,400}’(?!\w)|(?<![\w'])'(?=[^\s'])[^'\n]{0,400}(?:'(?=\w)[^'\n]{0,400}){0,4}'(?!\w)"
)


# The patterns know one apostrophe and, of the characters that command, the simplified form.
_SAME = str.maketrans(
    "’ʼ記別請從現開後總遠終絕對錯說話這個條為換會項倉庫嗎還煩幫點頂們僅關於應該實際經遷檢運執寫測試過時務齊",
    "''记别请从现开后总远终绝对错说话这个条为换会项仓库吗还烦帮点顶们仅关于应该实际经迁检运执写测试过时务齐",
)


def _hush(found: re.Match[str]) -> str:
    return found[0][0] + re.sub(r"[^\n]", INLINE, found[0][1:-1]) + found[0][-1]


def _cover_paste(cover: str) -> Voice:
    """Of a long prompt only the first and the last paragraph can be the person's own words."""
    spoken = len(cover) - cover.count(BLOCK)
    paragraphs = [m.span() for m in re.finditer(r"[^\n][^\n]*(?:\n(?![ \t]*\n)[^\n]*)*", cover)]
    if spoken <= LONG or (len(paragraphs) < LONG_PARAGRAPHS and spoken <= 3 * PARAGRAPH):
        return Voice(cover, len(cover), len(cover))
    first, last = paragraphs[0], paragraphs[-1]
    sure = min(first[1], first[0] + PARAGRAPH)
    whole = _sentence_end(cover, sure, first[1])
    cut = whole if whole - sure <= SENTENCE else _blank_before(cover, sure, sure + SENTENCE)
    from_last = last[0] if last[1] - last[0] <= PARAGRAPH and last != first else len(cover)
    middle = _blank(cover[cut:from_last], BLOCK)
    return Voice(
        cover[:cut] + middle + cover[from_last:],
        sure,
        from_last,
        *((cut, whole) if cut < whole else ()),
    )


def _sentence_end(cover: str, place: int, end: int) -> int:
    """Where the sentence ends that goes on at *place*."""
    return next((found.end() for found in ends(cover, max(0, place - 1), end)), end)


def _blank_before(cover: str, least: int, place: int) -> int:
    """The last white space before *place*, so that no word is cut in two; else *place*."""
    found = max(cover.rfind(" ", least, place), cover.rfind("\n", least, place))
    return found if found > 0 else place
