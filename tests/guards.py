"""The guards, as data: what each is, the exact text that takes it away, and the test that notices.

``mutations`` works through this list. A new guard gets a line here.
"""

from typing import NamedTuple


class Guard(NamedTuple):
    """One guard. ``old`` stands exactly once in ``file``; with ``new`` the guard is gone."""

    name: str
    file: str
    old: str
    new: str
    test: str


MAIN = "daemon/dormouse/main.py"
HYGIENE = "daemon/dormouse/hygiene.py"
SCHEMA = "daemon/dormouse/ledger/schema.py"
CONNECTING = "daemon/dormouse/ledger/connecting.py"
AUTHORIZER = "daemon/dormouse/ledger/authorizer.py"
FACT_WRITES = "daemon/dormouse/ledger/fact_writes.py"
GATE = "daemon/dormouse/judging/gate.py"
SETTLE = "daemon/dormouse/work/settle.py"
WEIGH = "daemon/dormouse/work/weigh.py"
SECOND_LOOK = "daemon/dormouse/judging/second_look.py"
INTAKE = "daemon/dormouse/work/intake.py"
IN_PASSING = "daemon/dormouse/work/implicit.py"
ANSWER = "daemon/dormouse/work/answer.py"
PROMPT = "daemon/dormouse/work/prompt.py"
OF_PROMPT = "tests/unit/work/test_prompt.py"
PREPARE = "daemon/dormouse/work/prepare.py"
HOT = "daemon/dormouse/api/hot.py"
WIRE = "daemon/dormouse/api/wire.py"
SAFE = "daemon/dormouse/hosts/safe.py"
LOCATING = "daemon/dormouse/projects/locating.py"
HOOK = "plugins/dormouse_plugins/hook.py"

EMBEDDED = "daemon/dormouse/judging/embedded.py"
OF_EMBEDDED = "tests/unit/judging/test_embedded.py"
DOOR = "daemon/dormouse/thinking/door.py"
CAPS = "daemon/dormouse/thinking/caps.py"
ENDPOINT = "daemon/dormouse/thinking/endpoint.py"
COMPLETIONS = "daemon/dormouse/thinking/completions.py"
SUPERVISOR = "daemon/dormouse/thinking/supervisor.py"
THINKERS = "daemon/dormouse/work/thinkers.py"

ATTACKS = "tests/system/test_attacks.py"
DISK = "tests/system/test_disk.py"
OF_DOOR = "tests/unit/thinking/test_door.py"
OF_CAPS = "tests/unit/thinking/test_caps.py"
OF_ENDPOINT = "tests/unit/thinking/test_endpoint.py"
OF_PROGRAMS = "tests/unit/thinking/test_programs.py"
OF_THINKING = "tests/unit/work/test_guards_of_thinking.py"
OF_UNSURE = "tests/unit/work/test_unsure.py"
OF_MCP = "tests/unit/plugins/test_mcp_server.py"
OF_PASSING = "tests/unit/work/test_implicit.py"
OF_RULES = "tests/unit/work/test_agents_rules.py"
OF_LIMITS = "tests/system/test_agents_limits.py"
REQUESTS = "daemon/dormouse/api/requests.py"
LEDGER_GUARDS = "tests/unit/ledger/test_guards.py"

GUARDS: tuple[Guard, ...] = (
    Guard(
        "forgetting a value does not take the fact with another one",
        "daemon/dormouse/work/obey.py",
        "command.id is None and _names_another(fact, target)",
        "False",
        "tests/system/test_corrections.py"
        "::test_forgetting_one_value_does_not_take_the_fact_with_another",
    ),
    Guard(
        "forgetting what held does not take the fact that ended it",
        "daemon/dormouse/work/obey.py",
        "command.id is None and _says_otherwise(fact, target)",
        "False",
        "tests/system/test_corrections.py"
        "::test_forgetting_what_held_does_not_take_the_fact_that_ended_it",
    ),
    Guard(
        "the words of a prompt are not read in the writer's turn",
        PROMPT,
        "        query_terms(text)\n",
        "",
        f"{OF_PROMPT}::test_nothing_of_a_prompt_is_read_in_the_writers_turn",
    ),
    Guard(
        "what a session was shown takes no place from the rest",
        PROMPT,
        "        left = new(sought.deeper(r))\n",
        "        pass\n",
        f"{OF_PROMPT}::test_a_session_that_was_shown_much_is_shown_the_rest_too",
    ),
    Guard(
        "what was retired since it was found is not shown",
        PROMPT,
        " if fact and fact.current]",
        " if fact]",
        f"{OF_PROMPT}::test_what_was_retired_since_it_was_found_leaves_its_place_to_the_next",
    ),
    Guard(
        "the writer searches no large store",
        PROMPT,
        "large = memory.facts > LARGE",
        "large = False",
        f"{OF_PROMPT}::test_in_a_large_store_the_words_are_not_searched_by_the_writer",
    ),
    Guard(
        "the hook program is compiled when it is written",
        "plugins/dormouse_plugins/bin.py",
        "    _compile(home.bin / PROGRAM)\n",
        "",
        "tests/unit/plugins/test_bin.py::test_the_hook_program_is_run_as_it_was_compiled",
    ),
    Guard(
        "a hook writes nothing compiled",
        "plugins/dormouse_plugins/bin.py",
        '        "sys.dont_write_bytecode = True\\n"\n',
        "",
        "tests/unit/plugins/test_bin.py::test_without_the_compiled_program_it_runs_and_writes_none",
    ),
    Guard(
        "a far pair is looked at again before it retires",
        WEIGH,
        "(ruling if pair.near else _doubted(ruling))",
        "ruling",
        "tests/unit/work/test_far.py",
    ),
    Guard(
        "a judge that is not believed retires no far pair",
        WEIGH,
        "    if sure >= second_look.SURE:",
        "    if True:",
        "tests/unit/work/test_far.py",
    ),
    Guard(
        "a pair that the model does not read clearly is not settled for its likeness",
        SECOND_LOOK,
        "return odds if clear else min(odds, 0.0)",
        "return odds",
        "tests/unit/judging/test_second_look.py",
    ),
    Guard(
        "no judge overrules that both texts name another matter",
        "daemon/dormouse/judging/gate.py",
        "    if facets.apart(older.text, newer.text):",
        "    if False:",
        "tests/unit/judging/test_facets.py",
    ),
    Guard(
        "a second look takes no rubbish",
        SECOND_LOOK,
        " or not all(0.0 <= each <= 1.0 for each in again)",
        "",
        "tests/unit/judging/test_second_look.py",
    ),
    Guard(
        "where the judge abstains nothing is looked at again",
        WEIGH,
        " and not abstains(pair.older, pair.newer)",
        "",
        "tests/unit/work/test_far.py",
    ),
    Guard(
        "what changed since it was judged is judged again",
        SETTLE,
        "    if not unchanged(w, fact):\n        return Settled()\n    settled",
        "    settled",
        "tests/unit/work/test_plans.py",
    ),
    Guard(
        "no fact is dated ahead",
        "daemon/dormouse/work/remember.py",
        "if parse(wish.at) > parse(now) + AHEAD:",
        "if False:",
        "tests/unit/work/test_dates.py",
    ),
    Guard(
        "agents get around their limit neither by new sessions nor by new names",
        "daemon/dormouse/work/by_agents.py",
        "    return max(mine, limit - max(left, 0))\n",
        "    return mine\n",
        f"{ATTACKS}::test_agents_can_not_get_around_their_limit_by_new_sessions_and_names",
    ),
    Guard(
        "a rule is a rule whatever kind an agent gives it",
        "daemon/dormouse/work/remember.py",
        "    if not who.is_person and is_rule(text):\n",
        "    if False:\n",
        f"{OF_RULES}::test_a_rule_waits_whatever_kind_the_agent_gives",
    ),
    Guard(
        "no rule of an agent's hides beside a statement",
        "daemon/dormouse/work/remember.py",
        "    if not who.is_person and _detail_is_rule(new.detail):\n",
        "    if False:\n",
        f"{OF_RULES}::test_a_rule_beside_a_statement_waits_too_and_the_owner_sees_it",
    ),
    Guard(
        "a correction that waits for the owner waits as a correction",
        "daemon/dormouse/work/remember.py",
        "        if replaces is not None:  # the yes",
        "        if False:  # the yes",
        f"{OF_RULES}::test_a_correction_that_makes_a_rule_waits_and_a_yes_retires_the_old_wording",
    ),
    Guard(
        "what is private is kept by no argument of a tool",
        REQUESTS,
        '    kept = strip_private(text or "")\n',
        '    kept = text or ""\n',
        f"{OF_LIMITS}::test_what_is_private_is_kept_by_no_argument_of_any_tool",
    ),
    Guard(
        "where Dormouse is off an agent changes and reads nothing",
        REQUESTS,
        "    if where.off and not who.is_person:\n",
        "    if False:\n",
        f"{OF_LIMITS}"
        "::test_where_dormouse_is_off_an_agent_changes_and_reads_nothing_and_the_owner_may",
    ),
    Guard(
        "an agent's name that may be a secret is not taken",
        "daemon/dormouse_wire/names.py",
        "    return len(word) <= most\n",
        "    return True\n",
        "tests/unit/plugins/test_names.py::test_what_may_be_a_secret_is_no_name_not_even_cut",
    ),
    Guard(
        "what can be no id is not said again",
        "daemon/dormouse/ledger/ids.py",
        '    return text if could_be_id(text) else "given"\n',
        "    return text[:20]\n",
        f"{OF_LIMITS}::test_a_secret_for_a_name_or_an_id_is_neither_kept_nor_said_again",
    ),
    Guard(
        "a text that nobody can see is no fact",
        REQUESTS,
        "    return None if is_blank(kept) else kept\n",
        "    return kept\n",
        "tests/unit/api/test_requests.py"
        "::test_a_text_of_which_nothing_can_be_seen_is_refused_as_empty",
    ),
    Guard(
        "what agents do is told in a text that does not grow without end",
        "daemon/dormouse/work/by_agents.py",
        "    if len(lines) < TOLD:\n",
        "    if True:\n",
        f"{ATTACKS}::test_agents_can_not_get_around_their_limit_by_new_sessions_and_names",
    ),
    Guard(
        "a secret in the name of a branch or a folder is masked",
        "daemon/dormouse/work/places.py",
        "    return mask(name) if name else name\n",
        "    return name\n",
        f"{ATTACKS}::test_a_secret_in_the_name_of_a_branch_or_a_folder_is_shown_nowhere",
    ),
    # -- what a handoff may carry
    Guard(
        "a handoff holds no turn of another project",
        "daemon/dormouse/work/handoff.py",
        "if t.agent == session.agent and t.project_id == where.project_id]",
        "if t.agent == session.agent]",
        "tests/unit/handoffs/test_content.py::test_nothing_of_another_project_is_handed_on",
    ),
    Guard(
        "a handoff holds no secret",
        "daemon/dormouse/ledger/handoff_rows.py",
        "            return self._prepared(value).text\n",
        "            return value\n",
        "tests/unit/handoffs/test_content.py::test_no_secret_is_handed_on_wherever_it_stands",
    ),
    Guard(
        "a handoff quotes no tool",
        "daemon/dormouse/work/handoff.py",
        "    return turn.role is Role.ASSISTANT and not speaks_to_the_judge(turn.text)\n",
        "    return not speaks_to_the_judge(turn.text)\n",
        "tests/unit/handoffs/test_content.py::"
        "test_what_a_tool_a_summary_or_a_subagent_says_is_not_handed_on",
    ),
    Guard(
        "what a host's summary says is not handed on",
        "daemon/dormouse/work/handoff.py",
        "if not p.quoted and not speaks_to_the_judge(p.text)]",
        "if not speaks_to_the_judge(p.text)]",
        "tests/unit/handoffs/test_content.py::"
        "test_what_a_tool_a_summary_or_a_subagent_says_is_not_handed_on",
    ),
    Guard(
        "an order that an agent repeats is not handed on",
        "daemon/dormouse/work/handoff.py",
        "    return tuple(text for text in texts if not speaks_to_the_judge(text))\n",
        "    return tuple(texts)\n",
        "tests/unit/handoffs/test_content.py::"
        "test_an_agent_that_repeats_an_order_from_a_tools_output_does_not_hand_it_on",
    ),
    # -- what was said beside a fact, and what an agent retires
    Guard(
        "a weaker speaker's steps never stand over a stronger one's",
        "daemon/dormouse/ledger/detail_rows.py",
        "        rows.sort(key=lambda row: Trust(row[1]).rank)",
        "        rows.sort(key=lambda row: 0)",
        "tests/unit/ledger/test_details.py::"
        "test_a_weaker_speakers_details_never_stand_over_a_stronger_ones",
    ),
    Guard(
        "steps, tools, outcome and context are redacted",
        "daemon/dormouse/ledger/detail_rows.py",
        "tuple(self._prepared(step).text for step in said.steps)",
        "tuple(step for step in said.steps)",
        "tests/unit/ledger/test_details.py::"
        "test_a_secret_in_a_detail_is_taken_out_before_it_is_stored",
    ),
    Guard(
        "what was said beside a fact is never rewritten",
        SCHEMA,
        "CREATE TRIGGER details_never_rewritten BEFORE UPDATE ON details\n",
        "CREATE TRIGGER details_never_rewritten BEFORE UPDATE ON details WHEN 0\n",
        "tests/unit/ledger/test_details.py::"
        "test_details_are_never_rewritten_and_never_deleted",
    ),
    Guard(
        "a detail is made harmless before it is shown",
        "daemon/dormouse/recall/render.py",
        "self.plain(more, LONGEST_DETAIL, f' … (show {short})')",
        "more",
        "tests/unit/recall/test_render.py::test_a_detail_can_not_close_the_fence",
    ),
    # -- what a session came to
    Guard(
        "of a thinker's summary only what the turns say is kept",
        "daemon/dormouse/work/summaries.py",
        "flat and fits and grounded(flat, shown) and not",
        "flat and fits and not",
        "tests/unit/work/test_summaries.py::test_what_the_turns_do_not_say_is_not_kept",
    ),
    Guard(
        "a host's own summary, which may hold a tool's output, is not shown unasked",
        ANSWER,
        ' or session.summed_by not in ("thinker", "rules"):\n',
        ":\n",
        "tests/unit/work/test_summaries.py::test_a_hosts_summary_is_never_shown_unasked",
    ),
    # -- who may come in, and how many daemons there are
    Guard(
        "the socket is 0600 from the start",
        MAIN,
        "    fresh.chmod(0o600)\n",
        "    fresh.chmod(0o666)\n",
        f"{DISK}::test_all_folders_are_0700_and_all_files_0600_whatever_the_umask",
    ),
    Guard(
        "a connection of another user is cut",
        "daemon/dormouse/api/protocol.py",
        "if peer_uid(connected) != os.getuid():",
        "if False:",
        "tests/system/test_peers.py",
    ),
    Guard(
        "one daemon a home (flock)",
        MAIN,
        "        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)\n",
        "        pass\n",
        "tests/system/test_crash.py::test_a_second_daemon_is_refused",
    ),
    # -- nothing is deleted or rewritten
    Guard(
        "a fact is never deleted (trigger)",
        SCHEMA,
        "BEGIN SELECT RAISE(ABORT, 'facts are retired, never deleted'); END;",
        "BEGIN SELECT 1; END;",
        f"{LEDGER_GUARDS}::test_a_facts_own_trigger_refuses_to_delete_it",
    ),
    Guard(
        "a fact's text is never rewritten (trigger)",
        SCHEMA,
        "BEGIN SELECT RAISE(ABORT, 'a fact is never rewritten'); END;",
        "BEGIN SELECT 1; END;",
        f"{LEDGER_GUARDS}::test_the_triggers_alone_refuse_it_too",
    ),
    Guard(
        "a fact is retired once (trigger)",
        SCHEMA,
        "BEGIN SELECT RAISE(ABORT, 'the fact is retired already'); END;",
        "BEGIN SELECT 1; END;",
        f"{LEDGER_GUARDS}::test_a_fact_is_retired_once",
    ),
    Guard(
        "REPLACE fires the delete trigger (recursive_triggers)",
        CONNECTING,
        '    db.execute("PRAGMA recursive_triggers = ON")\n',
        "",
        f"{LEDGER_GUARDS}::test_the_connection_has_every_setting_it_must_have",
    ),
    Guard(
        "the writer may compile only what is listed (authorizer)",
        "daemon/dormouse/ledger/ledger.py",
        "        db.set_authorizer(authorize)\n",
        "",
        LEDGER_GUARDS,
    ),
    Guard(
        "no DELETE on facts for the writer (authorizer)",
        AUTHORIZER,
        "        return one in DELETABLE\n",
        "        return True\n",
        f"{LEDGER_GUARDS}::test_the_authorizer_alone_refuses_it_at_compiling",
    ),
    Guard(
        "only listed PRAGMAs for the writer (authorizer)",
        AUTHORIZER,
        "        return one in PRAGMAS or (one in READABLE_PRAGMAS and two is None)\n",
        "        return True\n",
        LEDGER_GUARDS,
    ),
    Guard(
        "retiring is compare-and-set",
        FACT_WRITES,
        '            raise Conflict(what=f"fact {id} is retired already")\n',
        "            pass\n",
        "tests/unit/ledger/test_facts.py::test_retiring_is_compare_and_set",
    ),
    Guard(
        "agents look through current_facts",
        SCHEMA,
        "CREATE VIEW current_facts AS SELECT * FROM facts WHERE retired_at IS NULL;",
        "CREATE VIEW current_facts AS SELECT * FROM facts;",
        "tests/unit/ledger/test_facts.py::test_a_retired_fact_is_only_in_the_history",
    ),
    Guard(
        "only a current fact is rendered",
        "daemon/dormouse/recall/render.py",
        "if each.fact.current and each.fact.id not in told",
        "if each.fact.id not in told",
        "tests/unit/recall/test_render.py::test_a_retired_fact_is_never_shown_as_a_fact",
    ),
    Guard(
        "only a current fact is found by its meaning",
        "daemon/dormouse/ledger/vector_reads.py",
        'table = "facts" if history or as_of is not None else "current_facts"',
        'table = "facts"',
        "tests/unit/work/test_meaning.py"
        "::test_a_retired_fact_is_not_shown_even_before_the_index_knows",
    ),
    Guard(
        "both legs keep silence",
        "daemon/dormouse/recall/rank.py",
        "        if floor > 0 and not _worth_showing(known, relevance, good, best, floor):\n",
        "        if False:\n",
        "tests/unit/recall/test_fuse.py"
        "::test_a_prompt_like_those_that_no_memory_answers_is_met_with_silence",
    ),
    Guard(
        "vectors of a model are looked through only when all facts have one",
        "daemon/dormouse/work/meaning.py",
        "if vectors is None or not vectors.active:\n            return None\n        short",
        "if vectors is None:\n            return None\n        short",
        "tests/unit/work/test_meaning.py"
        "::test_another_revision_goes_by_words_until_all_is_embedded_then_switches_once",
    ),
    Guard(
        "only the weights that were measured are used",
        "daemon/dormouse/embedding/files.py",
        "    if found != SHA256:\n",
        "    if False:\n",
        "tests/unit/embedding/test_model.py::test_other_bytes_are_refused",
    ),
    Guard(
        "only the judge's file that was measured is used",
        "daemon/dormouse/embedding/cross.py",
        "        if hashlib.sha256(raw).hexdigest() != sha256:\n",
        "        if False:\n",
        "tests/unit/embedding/test_cross.py::test_another_file_is_refused",
    ),
    Guard(
        "the embedded judge abstains where it was not measured",
        EMBEDDED,
        "    strange = older.language != newer.language or newer.language not in MEASURED\n",
        "    strange = False\n",
        f"{OF_EMBEDDED}::test_in_a_language_that_was_not_measured_it_retires_nothing",
    ),
    Guard(
        "a sentence that speaks to the judge is not read by the embedded one",
        EMBEDDED,
        "    if not speaks_to_the_judge(fact.text):\n        return fact\n",
        "    return fact\n",
        f"{OF_EMBEDDED}::test_a_sentence_that_speaks_to_the_judge_is_not_read",
    ),
    Guard(
        "what is no probability is no answer",
        EMBEDDED,
        "            if len(row) == len(Verdict) and all(0.0 <= each <= 1.0 for each in row):\n",
        "            if len(row) > 1:\n",
        f"{OF_EMBEDDED}::test_rubbish_from_the_model_retires_nothing",
    ),
    Guard(
        "no judge overrules what the gate knows of time and trust",
        "daemon/dormouse/judging/ladder.py",
        "        return gate.firm(*pair) is None and gate.by_trust(*pair) is None\n",
        "        return True\n",
        f"{OF_EMBEDDED}::test_no_judge_overrules_time_or_trust",
    ),
    Guard(
        "control tokens in a text are text",
        "daemon/dormouse/embedding/tokens.py",
        "        known[sorted(control)] = False\n",
        "",
        "tests/unit/embedding/test_model.py::test_control_tokens_in_a_text_are_text",
    ),
    # -- judging
    Guard(
        "a fact never retires one of higher trust (gate)",
        GATE,
        "    return Veto.TRUST if newer.trust.rank < older.trust.rank else None\n",
        "    return None\n",
        "tests/unit/judging/test_gate.py::test_a_fact_never_meets_one_of_higher_trust",
    ),
    Guard(
        "what holds later decides, not what arrives later (gate)",
        GATE,
        "    if newer.valid_from < older.valid_from:\n        return Veto.ORDER\n",
        "",
        "tests/unit/judging/test_gate.py",
    ),
    Guard(
        "the owner's word is final",
        "daemon/dormouse/ledger/judgment_reads.py",
        "        return row is not None\n\n    def questions",
        "        return False\n\n    def questions",
        "tests/unit/ledger/test_judgments.py"
        "::test_after_a_restore_an_equal_newcomer_does_not_retire_it_either",
    ),
    Guard(
        "facts told in one breath are found by what they mean",
        SETTLE,
        "            await memory.meaning.in_step()\n",
        "",
        "tests/cases/test_embedded_judge.py",
    ),
    Guard(
        "the fuse: too much in a day",
        SETTLE,
        " if total > limit else None",
        " if False else None",
        "tests/system/test_settling.py::test_the_fuse_stops_a_run_that_would_retire_too_much",
    ),
    Guard(
        "the fuse: too much by one new fact",
        SETTLE,
        "    if max(by_newer.values()) > MAX_BY_ONE:\n",
        "    if False:\n",
        "tests/system/test_settling.py::test_one_new_fact_cant_retire_more_than_three",
    ),
    Guard(
        "what was shown is taken back",
        ANSWER,
        "    back = [t for t in taken_back(w, event) if t.fact.id not in obeyed.named]\n",
        "    back: list[render.TakenBack] = []\n",
        "tests/system/test_settling.py::test_what_a_session_was_shown_is_taken_back_once",
    ),
    # -- who speaks
    Guard(
        "only the person is obeyed",
        "daemon/dormouse/hosts/claude_code.py",
        '    subagent = bool(data.get("agent_id") or data.get("agent_type"))\n',
        "    subagent = False\n",
        f"{ATTACKS}::test_a_subagents_prompt_is_no_command",
    ),
    Guard(
        "a transcript lies below its agent's root",
        SAFE,
        '    if not resolved.startswith(top + "/"):\n        return None\n',
        '    if not resolved.startswith(top + "/"):\n        top = os.path.dirname(resolved)\n',
        "tests/unit/hosts/test_safe.py",
    ),
    Guard(
        "a transcript's name holds its session's id",
        SAFE,
        'session_id not in resolved.rsplit("/", 1)[-1]',
        "False",
        "tests/unit/hosts/test_safe.py::test_another_sessions_file_is_refused",
    ),
    Guard(
        "a transcript is a regular file of ours",
        SAFE,
        "    if not stat.S_ISREG(about.st_mode) or about.st_uid != uid:\n",
        "    if False:\n",
        "tests/unit/hosts/test_safe.py",
    ),
    Guard(
        "a linked work tree is pointed back at",
        LOCATING,
        "    if back is None or gitfiles.real(os.path.join(target, back)) != dot:\n",
        "    if back is None:\n",
        f"{ATTACKS}::test_a_worktree_entry_without_the_way_back_is_no_worktree",
    ),
    Guard(
        "a git folder kept apart names its work tree",
        LOCATING,
        "    if not kept_inside and _work_tree_of(target, uid) != level:\n",
        "    if False:\n",
        f"{ATTACKS}::test_a_forged_git_file_reaches_no_other_projects_facts",
    ),
    # -- our own thinkers are not remembered
    Guard(
        "hooks are silent in a thinker (marker)",
        HOOK,
        ' or "DORMOUSE_THINKER" in environment()',
        "",
        "tests/unit/plugins/test_hook.py::test_it_is_silent_in_a_thinker",
    ),
    Guard(
        "a thinker's session and folder are dropped (daemon)",
        HOT,
        "    if is_thinker(event) or (not start and twice(agent, event, name, body)):\n",
        "    if not start and twice(agent, event, name, body):\n",
        "tests/system/test_settling.py::test_a_thinkers_own_session_is_not_remembered",
    ),
    # -- what is said in passing
    Guard(
        "nothing is learnt in passing where there is no project",
        IN_PASSING,
        "    if turn.project_id is None or turn.role is not Role.PERSON:\n",
        "    if turn.role is not Role.PERSON:\n",
        f"{OF_PASSING}::test_where_there_is_no_project_nothing_is_learnt",
    ),
    Guard(
        "only a person is read",
        IN_PASSING,
        "    if turn.project_id is None or turn.role is not Role.PERSON:\n",
        "    if turn.project_id is None:\n",
        f"{OF_PASSING}::test_only_a_person_is_read",
    ),
    Guard(
        "an unattended prompt makes no fact in passing",
        IN_PASSING,
        "        sure = attended and one.confidence",
        "        sure = one.confidence",
        f"{OF_PASSING}::test_an_unattended_prompt_makes_candidates_only",
    ),
    Guard(
        "what was forgotten is not learnt again in passing",
        IN_PASSING,
        "    if w.suppressed(text_hash=text_hash, slot=slot, look=look):\n",
        "    if False:\n",
        f"{OF_PASSING}::test_a_suppression_holds_and_is_not_lifted",
    ),
    Guard(
        "an echo is no source",
        IN_PASSING,
        "    if use is not None and use.at < turn.at and",
        "    if False and",
        f"{OF_PASSING}::test_words_that_the_session_was_shown_before_are_an_echo",
    ),
    Guard(
        "nothing said in passing is a rule",
        "daemon/dormouse/capture/implicit.py",
        "    if kind is Kind.FEEDBACK or (",
        "    if (",
        "tests/unit/capture/test_implicit.py"
        "::test_what_is_said_in_passing_never_becomes_a_rule",
    ),
    Guard(
        "quoted and pasted text states nothing",
        "daemon/dormouse/capture/implicit.py",
        "    cover, sure, *_ = speech.listen(text)\n",
        "    cover, sure = text, len(text)\n",
        "tests/unit/capture/test_implicit.py"
        "::test_what_does_not_speak_for_the_person_is_not_read",
    ),
    Guard(
        "what begins far behind the start of a long prompt commands nothing",
        "daemon/dormouse/capture/commands.py",
        "            if not self._voice.sure <= sentence.start < self._voice.again:\n",
        "            if True:\n",
        "tests/unit/capture/test_long_prompts.py"
        "::test_what_begins_far_behind_the_start_of_a_long_paragraph_commands_nothing",
    ),
    Guard(
        "code under a command is not acknowledged as if it had been kept",
        "daemon/dormouse/capture/under.py",
        '        return Under(left="quoted")\n',
        "        return Under()\n",
        "tests/unit/capture/test_under.py"
        "::test_code_and_quotes_under_a_command_are_never_kept_and_never_hidden",
    ),
    Guard(
        "a token that is written in another way is looked at as it would be read",
        "daemon/dormouse/capture/redaction.py",
        "    return found + (_near(data, places, watch, _find_disguised) if places else [])\n",
        "    return found\n",
        "tests/unit/capture/test_disguised_secrets.py"
        "::test_a_token_that_is_written_in_another_way_is_redacted_where_it_stands",
    ),
    Guard(
        "what a program takes for a password is a secret",
        "daemon/dormouse/capture/detectors.py",
        "    yield from arguments(data, watch.tick, _stands_for)\n",
        "",
        "tests/unit/capture/test_disguised_secrets.py"
        "::test_what_a_program_takes_for_a_password_is_redacted",
    ),
    Guard(
        "a session's id that looks like a secret is not stored",
        "daemon/dormouse/api/requests.py",
        "    if value is not None and mask(value) != value:\n",
        "    if False:\n",
        f"{ATTACKS}::test_an_id_that_looks_like_a_secret_is_refused_and_kept_nowhere",
    ),
    Guard(
        "an idempotency key that looks like a secret is not stored",
        WIRE,
        "    if key and mask(key) != key:\n",
        "    if False:\n",
        f"{ATTACKS}::test_an_id_that_looks_like_a_secret_is_refused_and_kept_nowhere",
    ),
    Guard(
        "a secret that an event has for an id is not stored",
        "daemon/dormouse/hosts/payload.py",
        "    return redact(value).text\n",
        "    return value\n",
        f"{ATTACKS}::test_an_event_with_a_secret_for_an_id_is_taken_in_without_it",
    ),
    # -- hooks are guests
    Guard(
        "nothing is printed when a turn ends",
        HOOK,
        "        while answer and self.event not in SILENT:\n",
        "        while answer:\n",
        "tests/unit/plugins/test_hook.py::test_nothing_is_printed_where_an_agent_would_go_on_by_itself",
    ),
    Guard(
        "a hook has a deadline of its own",
        HOOK,
        "        signal.setitimer(signal.ITIMER_REAL, self.left())\n",
        "",
        "tests/unit/plugins/test_hook.py::test_a_stdin_that_stays_open_costs_no_more_than_the_deadline",
    ),
    Guard(
        "what was not delivered is counted",
        HOOK,
        "            count_undelivered(LETTERS[self.agent])\n",
        "            pass\n",
        f"{DISK}::test_a_hook_leaves_nothing_readable_while_no_daemon_runs",
    ),
    Guard(
        "what was lost is not made up for by what is said later",
        "daemon/dormouse/work/undelivered.py",
        "        if at > self._until:\n",
        "        if False:\n",
        "tests/unit/work/test_undelivered.py"
        "::test_what_is_said_later_makes_up_for_nothing_that_was_lost_before",
    ),
    Guard(
        "only what a transcript shows is taken off the count",
        "daemon/dormouse/work/catchup.py",
        "            if obeyed.new:\n",
        "            if True:\n",
        "tests/unit/work/test_undelivered.py"
        "::test_what_is_found_takes_off_no_more_than_itself_and_no_other_agents",
    ),
    # -- secrets and private parts
    Guard(
        "secrets are redacted on the one write path",
        PREPARE,
        "    redacted = redact(clean(text))\n",
        '    redacted = type(redact(""))(clean(text), ())\n',
        f"{DISK}::test_a_planted_token_is_not_even_inside_the_decrypted_ledger",
    ),
    Guard(
        "secrets are masked when they are shown",
        PREPARE,
        "    return redact(text).text\n",
        "    return text\n",
        "tests/cases/test_capture.py::test_case_23_an_old_secret_is_masked_when_shown_and_counted_by_doctor",
    ),
    Guard(
        "private parts are left out",
        INTAKE,
        "    return strip_private(strip_own(text)).strip()\n",
        "    return strip_own(text).strip()\n",
        f"{DISK}::test_what_is_private_is_nowhere",
    ),
    Guard(
        "our own blocks are not the person's words",
        "daemon/dormouse/capture/private.py",
        "    return _without(text, _OWN)\n",
        "    return text\n",
        "tests/unit/capture/test_private.py::test_our_own_blocks_are_not_the_persons_words",
    ),
    Guard(
        ".dormouse-off keeps us out",
        LOCATING,
        "    return os.path.lexists(f\"{level}/{MARKER}\")\n",
        "    return False\n",
        f"{DISK}::test_nothing_is_kept_or_shown_below_a_dormouse_off_file",
    ),
    Guard(
        "a correction that says the same makes no copy",
        "daemon/dormouse/ledger/judgment_writes.py",
        "        if self.hash_of(new.text) == self.hash_of(old.text):\n",
        "        if False:\n",
        "tests/unit/ledger/test_judgments.py::test_a_correction_by_the_same_words_is_refused_where"
        "_another_value_began_since_too",
    ),
    Guard(
        "a folder is seen as it is now: its branch, and whether it is off",
        "daemon/dormouse/work/places.py",
        "        return fresh and (self.place, self.where.off) == (place, off)\n",
        "        return fresh\n",
        "tests/unit/work/test_places.py",
    ),
    # -- nothing readable
    Guard(
        "new files are private (umask)",
        HYGIENE,
        "    os.umask(0o077)\n",
        "    os.umask(0)\n",
        "tests/unit/hygiene/test_process.py::test_a_hardened_process_leaves_no_dump_and_makes_private_files",
    ),
    Guard(
        "the process is not dumpable",
        HYGIENE,
        "ctypes.CDLL(None).prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0) != 0",
        "False",
        "tests/unit/hygiene/test_process.py::test_a_hardened_process_leaves_no_dump_and_makes_private_files",
    ),
    Guard(
        "an erased word is overwritten (secure_delete)",
        CONNECTING,
        '    db.execute("PRAGMA secure_delete = ON")\n',
        '    db.execute("PRAGMA secure_delete = OFF")\n',
        f"{LEDGER_GUARDS}::test_the_connection_has_every_setting_it_must_have",
    ),
    Guard(
        "an erased word leaves the index's pages (secure-delete)",
        "daemon/dormouse/ledger/migrations.py",
        "    db.execute(\"INSERT INTO search (search, rank) VALUES ('secure-delete', 1)\")\n",
        "",
        "tests/unit/ledger/test_maintenance.py::test_no_copy_of_an_erased_word_stays_in_the_pages",
    ),
    Guard(
        "sorting never spills (temp_store)",
        CONNECTING,
        '    db.execute("PRAGMA temp_store = MEMORY")\n',
        '    db.execute("PRAGMA temp_store = FILE")\n',
        f"{LEDGER_GUARDS}::test_the_connection_has_every_setting_it_must_have",
    ),
    Guard(
        "an acknowledged write is on the disk (synchronous)",
        CONNECTING,
        '    db.execute("PRAGMA synchronous = FULL")\n',
        '    db.execute("PRAGMA synchronous = OFF")\n',
        f"{LEDGER_GUARDS}::test_the_connection_has_every_setting_it_must_have",
    ),
    Guard(
        "a log line never holds an error's message",
        WIRE,
        "type(error).__name__, places)",
        "error, places)",
        "tests/unit/test_log.py::test_an_unexpected_error_is_logged_by_kind_and_place_alone",
    ),
    Guard(
        "the environment of an agent is forgotten",
        HYGIENE,
        "        del environment[name]\n",
        "        pass\n",
        "tests/unit/hygiene/test_process.py::test_only_what_the_daemon_needs_stays_in_its_environment",
    ),
    Guard(
        "the privacy level is looked at before every call",
        DOOR,
        " and may(level, name, thought.task)]",
        "]",
        f"{OF_DOOR}::test_at_level_local_no_agent_is_asked_and_at_level_agents_no_host",
    ),
    Guard(
        "what leaves is redacted at the door",
        DOOR,
        "replace(thought, user=redact(thought.user).text)",
        "replace(thought)",
        f"{OF_DOOR}::test_what_leaves_has_no_secret_in_it_whoever_made_the_text",
    ),
    Guard(
        "an answer fits its schema or is none",
        DOOR,
        "        value = parse(said.text, thought.schema)\n",
        "        import json\n        value = json.loads(said.text or 'null')\n",
        f"{OF_DOOR}::test_anything_else_is_no_answer_and_nobody_else_is_told",
    ),
    Guard(
        "one call at a time",
        DOOR,
        "            with self._one:\n                return self._ask",
        "            if True:\n                return self._ask",
        f"{OF_DOOR}::test_only_one_call_goes_on_at_a_time",
    ),
    Guard(
        "the cap of tokens a day",
        CAPS,
        " + tokens > self._tokens:",
        " > 10**9:",
        f"{OF_CAPS}::test_no_call_is_made_that_might_pass_the_cap_of_tokens",
    ),
    Guard(
        "the cap of calls a day",
        CAPS,
        "if len(made) + 1 > self._calls:",
        "if False:",
        f"{OF_CAPS}::test_the_cap_of_calls_holds_across_restarts",
    ),
    Guard(
        "a used-up quota ends the day",
        CAPS,
        "if same and row.result is Result.QUOTA:",
        "if False:",
        f"{OF_CAPS}::test_after_a_quota_answer_nothing_leaves_until_the_next_day",
    ),
    Guard(
        "an endpoint is a literal loopback address",
        ENDPOINT,
        '        return address in ipaddress.ip_network("127.0.0.0/8")\n',
        "        return True\n",
        f"{OF_ENDPOINT}::test_names_other_machines_and_odd_addresses_are_refused",
    ),
    Guard(
        "a model that runs elsewhere is told nothing",
        ENDPOINT,
        "            if self._runs_elsewhere():\n",
        "            if False:\n",
        f"{OF_ENDPOINT}::test_a_model_that_its_server_marks_as_remote_is_told_nothing",
    ),
    Guard(
        "a server that drips is cut off",
        COMPLETIONS,
        "    timer.start()\n",
        "",
        f"{OF_ENDPOINT}::test_a_server_that_drips_is_cut_off_in_time",
    ),
    Guard(
        "what a thinker forked dies with it",
        SUPERVISOR,
        "        found = children()\n",
        "        found: list[int] = []\n",
        f"{OF_PROGRAMS}::test_what_it_forked_dies_with_it_even_in_a_session_of_its_own",
    ),
    Guard(
        "a thinker dies with a daemon that is killed",
        SUPERVISOR,
        "select.select([0, done], [], [], timeout_s)",
        "select.select([done], [], [], timeout_s)",
        f"{OF_PROGRAMS}::test_a_thinker_dies_with_a_daemon_that_is_killed",
    ),
    Guard(
        "a thinker dies with a supervisor that is killed",
        SUPERVISOR,
        "            control(_PR_SET_PDEATHSIG, signal.SIGKILL)\n",
        "            pass\n",
        f"{OF_PROGRAMS}::test_a_killed_supervisor_takes_its_thinker_along",
    ),
    Guard(
        "our own thinking is known by its session",
        THINKERS,
        "    if session_id in _sessions:\n        return True\n",
        "",
        f"{OF_THINKING}::test_the_signature_betrays_a_prompt_and_then_its_session",
    ),
    Guard(
        "our own thinking is known by its folder",
        THINKERS,
        "found = _in_our_folder(cwd) or _signed(turn)",
        "found = _signed(turn)",
        f"{OF_THINKING}::test_the_folder_betrays_a_thinker_whatever_its_session",
    ),
    Guard(
        "our own thinking is known by its signature",
        THINKERS,
        "found = _in_our_folder(cwd) or _signed(turn)",
        "found = _in_our_folder(cwd)",
        f"{OF_THINKING}::test_the_signature_betrays_a_prompt_and_then_its_session",
    ),
    Guard(
        "our hooks fall silent in our own thinkers",
        HOOK,
        ' or "DORMOUSE_THINKER" in environment():',
        ":",
        f"{OF_THINKING}::test_the_marker_alone_keeps_the_hook_silent",
    ),
    Guard(
        "a text that speaks to its judge is not put before it",
        "daemon/dormouse/judging/thinker.py",
        "    if speaks_to_the_judge(older.text) or speaks_to_the_judge(newer.text):\n",
        "    if False:\n",
        f"{OF_UNSURE}::test_a_text_that_speaks_to_its_judge_is_not_put_before_it",
    ),
    Guard(
        "every clause of a split is accounted for",
        "daemon/dormouse/judging/split.py",
        "    if not accounted_for(older.text, [text for text, _ in clauses]):\n",
        "    if False:\n",
        f"{OF_UNSURE}::test_a_split_in_which_not_every_clause_is_accounted_for_changes_nothing",
    ),
    Guard(
        "a quote stands in its turn",
        "daemon/dormouse/work/extract.py",
        "_folded(quote) not in _folded(shown) or ",
        "",
        "tests/unit/work/test_read_day.py::"
        "test_a_quote_that_the_turn_does_not_hold_is_dropped_whoever_spoke",
    ),
    Guard(
        "pasted text does not speak through a thinker",
        "daemon/dormouse/work/extract.py",
        "    if turn.role is Role.PERSON and not _own_words(quote, shown):\n",
        "    if False:\n",
        "tests/unit/work/test_read_day.py::"
        "test_pasted_and_quoted_text_does_not_speak_for_the_person",
    ),
    Guard(
        "what the owner dropped is not found again",
        "daemon/dormouse/work/read_day.py",
        "if turn.project_id is None or _forgotten(w, one, where.look()):",
        "if turn.project_id is None:",
        "tests/unit/rem/test_taking_reading_back.py::"
        "test_what_the_owner_dropped_is_not_found_again_whatever_the_wording",
    ),
    Guard(
        "what only an agent said is not shown unasked",
        ANSWER,
        " if grounded(line, own)",
        "",
        "tests/cases/test_thinking.py::"
        "test_case_26_a_rule_from_a_readme_becomes_nothing_though_a_thinker_obeys",
    ),
    Guard(
        "a file is never put beside another one's log",
        "daemon/dormouse/ledger/exchange.py",
        '        if end == "-wal" and not log_is_kept and _holds_something(beside):\n',
        "        if False:\n",
        "tests/unit/ledger/test_exchange.py::"
        "test_a_log_that_still_holds_something_is_never_mixed_with_another_file",
    ),
    Guard(
        "a memory whose file is being exchanged is not opened meanwhile",
        "daemon/dormouse/api/opening.py",
        " and isinstance(service.failure, MENDABLE)",
        "",
        "tests/unit/api/test_opening.py::test_a_file_that_is_being_exchanged_is_left_alone",
    ),
    Guard(
        "a closed memory is tried again only when its files changed",
        "daemon/dormouse/api/opening.py",
        "        if _mendable(service) and _look(service) != service.seen:\n",
        "        if _mendable(service):\n",
        "tests/unit/api/test_opening.py::test_files_that_are_as_they_were_are_not_tried_again",
    ),
    Guard(
        "a passphrase opens no memory that it was not chosen for",
        "cli/dormouse_cli/lifecycle.py",
        "    if passphrase and not new:\n",
        "    if False:\n",
        "tests/unit/cli/test_lifecycle.py"
        "::test_a_passphrase_for_a_memory_with_unreadable_slots_is_an_error_too",
    ),
    Guard(
        "a damaged backup is never called good",
        "daemon/dormouse/ledger/exchange.py",
        "    if problems := maintenance.damage(db):\n",
        "    if problems := ():\n",
        "tests/unit/ledger/test_exchange.py::"
        "test_a_backup_with_a_damaged_page_is_neither_called_good_nor_copied",
    ),
    Guard(
        "what was erased since a backup stays erased",
        "daemon/dormouse/ledger/exchange.py",
        "            maintenance.erase(new, there, now)\n",
        "            pass\n",
        "tests/unit/ledger/test_exchange.py::test_what_was_erased_since_stays_erased",
    ),
    Guard(
        "of a memory that can't be copied the bytes are kept before another takes its place",
        "daemon/dormouse/ledger/exchange.py",
        "    elif not copied and not log_left:\n",
        "    elif False:\n",
        "tests/unit/ledger/test_exchange.py"
        "::test_a_backup_takes_the_place_of_a_memory_that_is_cut_short",
    ),
    Guard(
        "the log of a damaged memory is kept before SQLite throws it away",
        "daemon/dormouse/ledger/exchange.py",
        "    if log_left:\n",
        "    if False:\n",
        "tests/unit/ledger/test_exchange.py"
        "::test_the_log_of_a_damaged_memory_is_kept_beside_its_bytes",
    ),
    Guard(
        "a read that meets a damaged page stops the writing",
        "daemon/dormouse/ledger/ledger.py",
        "            if not is_damage(error):\n                raise\n",
        "            raise\n",
        "tests/unit/ledger/test_damage.py"
        "::test_a_read_that_meets_damage_stops_the_writing_with_exit_code_7",
    ),
    Guard(
        "a command that could not be kept is said not to be",
        "daemon/dormouse/api/hot.py",
        "        return await _unkept(event, error, lambda: memory.places.folders)\n",
        '        return ""\n',
        "tests/unit/api/test_damage.py::test_what_is_to_be_remembered_is_kept_or_said_not_to_be",
    ),
    Guard(
        "nothing is said where Dormouse is off, not even that nothing was kept",
        "daemon/dormouse/work/unkept.py",
        " or folders.off(event.cwd)",
        "",
        "tests/unit/api/test_damage.py"
        "::test_a_memory_that_does_not_open_tells_a_command_and_nothing_else",
    ),
    Guard(
        "doctor goes on where a check fails",
        "daemon/dormouse/work/doctor.py",
        "        return [Check(name, False, str(error), error.hint)]\n",
        "        raise\n",
        "tests/unit/api/test_damage.py"
        "::test_doctor_goes_on_where_a_check_fails_and_status_is_degraded_then",
    ),
    Guard(
        "a locked memory is not exchanged",
        "daemon/dormouse/api/service.py",
        "        if not (isinstance(self.failure, Damaged) and self.data_key):\n",
        "        if not self.data_key:\n",
        "tests/unit/api/test_exchanging.py::test_a_locked_memory_is_not_replaced",
    ),
    Guard(
        "the slots of the file that is there hold",
        "daemon/dormouse/keys/rotating.py",
        'new = bool(salt) and following.get("salt") == salt.hex()',
        "new = True",
        "tests/unit/keys/test_rotating.py::TestNewDataKey::"
        "test_until_the_new_file_is_there_the_old_slots_hold",
    ),
    Guard(
        "no way in is taken away that nothing else replaces",
        "daemon/dormouse/keys/rotating.py",
        '    if not {slot["kind"] for slot in left} & {"keyfile", "passphrase"}:\n',
        "    if False:\n",
        "tests/unit/keys/test_rotating.py::TestRemove::"
        "test_the_last_way_in_that_is_no_paper_stays",
    ),
    Guard(
        "what goes wrong in one message does not end the MCP server",
        "plugins/dormouse_plugins/mcp.py",
        "            except Exception as error:",
        "            except KeyError as error:",
        f"{OF_MCP}::test_what_goes_wrong_in_one_message_is_answered_and_ends_nothing",
    ),
    Guard(
        "the rest of a message that is too long is no message",
        "plugins/dormouse_plugins/mcp_lines.py",
        "        if len(self._open) > MAX_MESSAGE:\n",
        "        if False:\n",
        f"{OF_MCP}::test_a_message_that_is_too_long_is_answered_once_and_skipped",
    ),
    Guard(
        "a session that gave a task back finishes it for nobody else",
        "plugins/dormouse_plugins/mcp_tools.py",
        '    return {"token": found[0]} if len(found) == 1 else {}\n',
        "    return {}\n",
        f"{OF_MCP}::test_who_took_a_handoff_ends_it_with_the_token_it_got",
    ),
    Guard(
        "what an agent does at the command line is the agent's word",
        "cli/dormouse_cli/speaking.py",
        "    agent = None if as_owner else owner.agent()\n",
        "    agent = None\n",
        "tests/unit/cli/test_speaking.py::"
        "test_a_command_that_changes_something_is_the_agents_where_its_mark_is_found",
    ),
    Guard(
        "only the owner accepts a proposal",
        "cli/dormouse_cli/proposals.py",
        '    body = owner.prove("accepting a proposal", yes=yes)\n',
        "    body: dict[str, str] = {}\n",
        "tests/unit/cli/test_owner.py::"
        "test_a_memory_without_a_passphrase_is_not_told_to_give_one",
    ),
)  # fmt: skip
