"""The first schema, as SQL. It is never edited: what comes later is a migration of its own.

Tables are STRICT and refer to a fact by its random id. ``facts.nr`` exists because an implicit
rowid may be renumbered by VACUUM, and the search rows hang on it. Every index is a page more to
encrypt in each commit (28 us, measured), so there is none that only rare work would use.
"""

from dormouse.ledger.schema_recall import NEIGHBOURS, VECTORS
from dormouse.ledger.schema_sleep import SLEEP

STORE = """
CREATE TABLE store (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
CREATE TABLE migrations (number INTEGER PRIMARY KEY, name TEXT NOT NULL, at TEXT NOT NULL) STRICT;
"""

FACTS = """
CREATE TABLE facts (
  nr INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE CHECK (length(id) = 16),
  scope TEXT NOT NULL CHECK (scope IN ('user', 'organisation', 'project', 'branch', 'session')),
  project_id TEXT, branch TEXT, session_id TEXT,
  retired_at TEXT,
  retired_because TEXT CHECK (retired_because IN ('superseded', 'duplicate', 'forgotten',
    'corrected', 'expired', 'merged', 'owner', 'erased')),
  superseded_by TEXT REFERENCES facts (id) ON DELETE SET NULL,
  kind TEXT NOT NULL CHECK (kind IN ('user', 'feedback', 'project', 'reference')),
  layer TEXT NOT NULL CHECK (layer IN ('episodic', 'semantic', 'procedural', 'core')),
  trust TEXT NOT NULL CHECK (trust IN ('user', 'project_file', 'assistant', 'tool')),
  confidence REAL NOT NULL CHECK (confidence BETWEEN 0 AND 1),
  importance REAL NOT NULL CHECK (importance BETWEEN 0 AND 1),
  weight REAL NOT NULL CHECK (weight BETWEEN 0 AND 1),
  pinned INTEGER NOT NULL CHECK (pinned IN (0, 1)),
  stated_at TEXT NOT NULL, valid_from TEXT NOT NULL, valid_to TEXT,
  captured_at TEXT NOT NULL,
  language TEXT, subject TEXT, attribute TEXT, value TEXT,
  text_hash TEXT NOT NULL,
  text TEXT NOT NULL CHECK (length(text) BETWEEN 1 AND 4000),
  words TEXT NOT NULL,
  CHECK ((retired_at IS NULL) = (retired_because IS NULL)),
  CHECK (superseded_by IS NULL OR retired_at IS NOT NULL),
  CHECK (scope NOT IN ('project', 'branch') OR project_id IS NOT NULL),
  CHECK (scope <> 'branch' OR branch IS NOT NULL),
  CHECK (scope <> 'session' OR session_id IS NOT NULL)
) STRICT;
CREATE INDEX facts_by_place ON facts (scope, project_id, retired_at, stated_at);
CREATE INDEX facts_by_slot ON facts (subject, attribute) WHERE subject IS NOT NULL;
CREATE INDEX facts_by_hash ON facts (text_hash);
CREATE INDEX facts_by_successor ON facts (superseded_by) WHERE superseded_by IS NOT NULL;
CREATE VIEW current_facts AS SELECT * FROM facts WHERE retired_at IS NULL;
CREATE TABLE sources (
  fact_id TEXT NOT NULL REFERENCES facts (id) ON DELETE CASCADE, nr INTEGER NOT NULL,
  agent TEXT, session_id TEXT, turn_id TEXT,
  how TEXT NOT NULL CHECK (how IN ('explicit', 'implicit', 'assistant', 'tool', 'import',
    'human', 'rem', 'merge')),
  at TEXT NOT NULL,
  from_fact TEXT,
  PRIMARY KEY (fact_id, nr)
) STRICT, WITHOUT ROWID;
CREATE INDEX sources_by_turn ON sources (turn_id) WHERE turn_id IS NOT NULL;
CREATE INDEX sources_by_origin ON sources (from_fact) WHERE from_fact IS NOT NULL;
CREATE TABLE details (
  nr INTEGER PRIMARY KEY,
  fact_id TEXT NOT NULL REFERENCES facts (id) ON DELETE CASCADE,
  trust TEXT NOT NULL CHECK (trust IN ('user', 'project_file', 'assistant', 'tool')),
  at TEXT NOT NULL,
  steps TEXT NOT NULL, tools TEXT NOT NULL, outcome TEXT, context TEXT, origin TEXT
) STRICT;
CREATE INDEX details_by_fact ON details (fact_id);
CREATE TABLE unsettled (
  fact_nr INTEGER PRIMARY KEY REFERENCES facts (nr) ON DELETE CASCADE
) STRICT;
CREATE TABLE neighbours (
  fact_nr INTEGER PRIMARY KEY REFERENCES facts (nr) ON DELETE CASCADE, words TEXT NOT NULL
) STRICT;
CREATE VIEW search_rows AS SELECT f.nr, f.words, coalesce(n.words, '') AS near
  FROM facts AS f LEFT JOIN neighbours AS n ON n.fact_nr = f.nr;
CREATE VIRTUAL TABLE search USING fts5 (
  words, near, content = 'search_rows', content_rowid = 'nr',
  tokenize = "porter unicode61 remove_diacritics 2"
);
CREATE VIRTUAL TABLE search_terms USING fts5vocab (search, col);
"""

JUDGMENTS = """
CREATE TABLE runs (
  nr INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  kind TEXT NOT NULL CHECK (kind IN ('settle', 'rem', 'owner')),
  state TEXT NOT NULL CHECK (state IN ('running', 'done', 'stopped', 'paused', 'failed', 'undone')),
  started_at TEXT NOT NULL, ended_at TEXT,
  facts_before INTEGER NOT NULL, facts_after INTEGER,
  report TEXT NOT NULL DEFAULT '{}',
  plan TEXT
) STRICT;
CREATE TABLE run_steps (
  run_id TEXT NOT NULL REFERENCES runs (id), step TEXT NOT NULL, state TEXT NOT NULL,
  started_at TEXT NOT NULL, ended_at TEXT, before INTEGER, after INTEGER, report TEXT,
  PRIMARY KEY (run_id, step, started_at)
) STRICT, WITHOUT ROWID;
CREATE TABLE retirements (
  nr INTEGER PRIMARY KEY,
  fact_id TEXT NOT NULL REFERENCES facts (id) ON DELETE CASCADE,
  at TEXT NOT NULL, because TEXT NOT NULL, by TEXT NOT NULL,
  run_id TEXT REFERENCES runs (id),
  superseded_by TEXT, valid_to_before TEXT, support_before REAL,
  ended_at TEXT, ended_by TEXT
) STRICT;
CREATE UNIQUE INDEX retirements_standing ON retirements (fact_id) WHERE ended_at IS NULL;
CREATE INDEX retirements_by_fact ON retirements (fact_id);
CREATE INDEX retirements_by_run ON retirements (run_id);
CREATE TABLE judgments (
  nr INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  older_id TEXT NOT NULL, newer_id TEXT NOT NULL,
  verdict TEXT NOT NULL CHECK (verdict IN ('supersede', 'keep', 'unsure')),
  probability REAL, judge TEXT NOT NULL, level TEXT NOT NULL,
  run_id TEXT REFERENCES runs (id),
  reason TEXT, vetoed_by TEXT, prompt_hash TEXT,
  asked_at TEXT NOT NULL, took_ms REAL NOT NULL
) STRICT;
CREATE INDEX judgments_by_older ON judgments (older_id, newer_id);
CREATE INDEX judgments_by_newer ON judgments (newer_id);
CREATE INDEX judgments_by_run ON judgments (run_id);
CREATE TABLE outcomes (
  nr INTEGER PRIMARY KEY,
  judgment_id TEXT NOT NULL REFERENCES judgments (id),
  outcome TEXT NOT NULL CHECK (outcome IN ('carried_out', 'undone', 'overruled', 'asked')),
  by TEXT NOT NULL, at TEXT NOT NULL
) STRICT;
CREATE INDEX outcomes_by_judgment ON outcomes (judgment_id);
CREATE INDEX outcomes_asked ON outcomes (judgment_id) WHERE outcome = 'asked';
CREATE INDEX outcomes_carried_out ON outcomes (at) WHERE outcome = 'carried_out';
CREATE TABLE suppressions (
  nr INTEGER PRIMARY KEY,
  text_hash TEXT NOT NULL, subject TEXT, attribute TEXT, value TEXT,
  project_id TEXT, by TEXT NOT NULL, at TEXT NOT NULL
) STRICT;
CREATE INDEX suppressions_by_hash ON suppressions (text_hash);
CREATE INDEX suppressions_by_slot ON suppressions (subject, attribute) WHERE subject IS NOT NULL;
CREATE TABLE erasures (
  fact_id TEXT PRIMARY KEY, at TEXT NOT NULL, open INTEGER NOT NULL CHECK (open IN (0, 1))
) STRICT;
CREATE TABLE copies (
  path TEXT NOT NULL, kind TEXT NOT NULL, at TEXT NOT NULL, PRIMARY KEY (path, at)
) STRICT, WITHOUT ROWID;
"""

WAITING = """
CREATE TABLE candidates (
  id TEXT PRIMARY KEY, text TEXT NOT NULL, text_hash TEXT NOT NULL,
  kind TEXT NOT NULL, scope TEXT NOT NULL, project_id TEXT, branch TEXT,
  first_turn TEXT, last_turn TEXT, sightings INTEGER NOT NULL, confidence REAL NOT NULL,
  at TEXT NOT NULL
) STRICT;
CREATE INDEX candidates_by_hash ON candidates (text_hash);
CREATE TABLE proposals (
  id TEXT PRIMARY KEY,
  what TEXT NOT NULL CHECK (what IN ('fact', 'pin', 'rule', 'user_scope', 'correct', 'join',
    'lesson')),
  payload TEXT NOT NULL, by TEXT NOT NULL, at TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('open', 'accepted', 'rejected')), closed_at TEXT
) STRICT;
CREATE INDEX proposals_open ON proposals (at) WHERE state = 'open';
CREATE TABLE kept_answers (
  key TEXT PRIMARY KEY, fingerprint TEXT NOT NULL, answer TEXT NOT NULL, at TEXT NOT NULL
) STRICT, WITHOUT ROWID;
"""

SESSIONS = """
CREATE TABLE turns (
  nr INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  agent TEXT NOT NULL, session_id TEXT NOT NULL, role TEXT NOT NULL,
  text_hash TEXT NOT NULL, original_length INTEGER, at TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('pending', 'done', 'parked')), reason TEXT,
  line_id TEXT, host_turn_id TEXT, by_hook INTEGER NOT NULL CHECK (by_hook IN (0, 1)),
  project_id TEXT, branch TEXT,
  text TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX turns_by_line ON turns (agent, line_id) WHERE line_id IS NOT NULL;
CREATE INDEX turns_by_session ON turns (session_id, text_hash);
CREATE INDEX turns_waiting ON turns (state) WHERE state <> 'done';
CREATE TABLE dropped_lines (key INTEGER PRIMARY KEY) STRICT;
CREATE TABLE sessions (
  agent TEXT NOT NULL, id TEXT NOT NULL, project_id TEXT, branch TEXT, cwd TEXT,
  started_at TEXT NOT NULL, last_at TEXT NOT NULL, ended_at TEXT,
  attended INTEGER, transcript_path TEXT, forked_from TEXT, summary TEXT,
  ended_once INTEGER NOT NULL DEFAULT 0 CHECK (ended_once IN (0, 1)),
  reopened INTEGER NOT NULL DEFAULT 0 CHECK (reopened IN (0, 1)),
  summed_by TEXT CHECK (summed_by IN ('host', 'thinker', 'rules')), summed_to INTEGER,
  PRIMARY KEY (agent, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX sessions_by_project ON sessions (project_id);
CREATE TABLE uses (
  agent TEXT NOT NULL, session_id TEXT NOT NULL,
  fact_id TEXT NOT NULL REFERENCES facts (id) ON DELETE CASCADE,
  at TEXT NOT NULL, how TEXT NOT NULL CHECK (how IN ('recalled', 'acknowledged', 'said')),
  shown INTEGER NOT NULL DEFAULT 1, used INTEGER NOT NULL DEFAULT 0,
  told_current INTEGER NOT NULL DEFAULT 1, taken_back_at TEXT,
  PRIMARY KEY (agent, session_id, fact_id)
) STRICT, WITHOUT ROWID;
CREATE TABLE transcripts (
  path TEXT PRIMARY KEY, agent TEXT NOT NULL, session_id TEXT, offset INTEGER NOT NULL,
  inode INTEGER NOT NULL, size INTEGER NOT NULL, skipped INTEGER NOT NULL, at TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE agents (
  id TEXT PRIMARY KEY, connected INTEGER NOT NULL DEFAULT 0, root TEXT, settings_path TEXT,
  connected_at TEXT, last_event TEXT, last_event_at TEXT, undelivered INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE TABLE agent_events (
  agent TEXT NOT NULL, event TEXT NOT NULL, at TEXT NOT NULL, times INTEGER NOT NULL,
  PRIMARY KEY (agent, event)
) STRICT, WITHOUT ROWID;
CREATE TABLE projects (
  nr INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE, joined_into TEXT REFERENCES projects (id),
  name TEXT NOT NULL, kind TEXT NOT NULL, common_dir TEXT, common_id TEXT,
  first_commit TEXT, remote TEXT, at TEXT NOT NULL
) STRICT;
CREATE TABLE project_paths (
  path TEXT NOT NULL, project_id TEXT NOT NULL REFERENCES projects (id),
  PRIMARY KEY (project_id, path)
) STRICT, WITHOUT ROWID;
CREATE TABLE settings (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
CREATE TABLE settings_log (
  nr INTEGER PRIMARY KEY, name TEXT NOT NULL, value TEXT NOT NULL, at TEXT NOT NULL
) STRICT;
"""

THINKING = """
CREATE TABLE thinker_calls (
  nr INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  at TEXT NOT NULL, who TEXT NOT NULL, level TEXT NOT NULL, task TEXT NOT NULL,
  sent INTEGER NOT NULL, received INTEGER NOT NULL DEFAULT 0,
  estimated INTEGER NOT NULL, tokens INTEGER,
  result TEXT NOT NULL DEFAULT 'started' CHECK (result IN ('started', 'answered', 'unavailable',
    'quota', 'timeout', 'rubbish', 'failed', 'stopped')),
  took_ms REAL NOT NULL DEFAULT 0
) STRICT;
CREATE TABLE unsure_pairs (
  older_nr INTEGER NOT NULL REFERENCES facts (nr) ON DELETE CASCADE,
  newer_nr INTEGER NOT NULL REFERENCES facts (nr) ON DELETE CASCADE,
  asked INTEGER NOT NULL DEFAULT 0, next_at TEXT NOT NULL,
  PRIMARY KEY (older_nr, newer_nr)
) STRICT, WITHOUT ROWID;
"""

PASSING = """
CREATE TABLE handoffs (
  nr INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE CHECK (length(id) = 16),
  project_id TEXT NOT NULL, branch TEXT,
  from_agent TEXT, from_session TEXT, to_agent TEXT,
  state TEXT NOT NULL CHECK (state IN ('offered', 'taken', 'finished', 'expired')),
  token INTEGER NOT NULL, attempt INTEGER NOT NULL,
  taken_by TEXT, taken_session TEXT, until TEXT,
  at TEXT NOT NULL, offered_at TEXT NOT NULL, closed_at TEXT,
  told INTEGER NOT NULL DEFAULT 0,
  checksum TEXT NOT NULL,
  content TEXT NOT NULL,
  CHECK ((state = 'taken') = (until IS NOT NULL))
) STRICT;
CREATE INDEX handoffs_open ON handoffs (project_id) WHERE state IN ('offered', 'taken');
CREATE TABLE handoff_events (
  nr INTEGER PRIMARY KEY, handoff_id TEXT NOT NULL REFERENCES handoffs (id),
  what TEXT NOT NULL, agent TEXT, session_id TEXT, token INTEGER NOT NULL, at TEXT NOT NULL
) STRICT;
CREATE INDEX handoff_events_by_handoff ON handoff_events (handoff_id);
CREATE TABLE focus (
  agent TEXT NOT NULL, session_id TEXT NOT NULL, kind TEXT NOT NULL, text_hash TEXT NOT NULL,
  project_id TEXT, at TEXT NOT NULL, text TEXT NOT NULL,
  quoted INTEGER NOT NULL DEFAULT 0 CHECK (quoted IN (0, 1)),
  PRIMARY KEY (agent, session_id, kind, text_hash)
) STRICT, WITHOUT ROWID;
CREATE TABLE touched (
  agent TEXT NOT NULL, session_id TEXT NOT NULL, what TEXT NOT NULL, name TEXT NOT NULL,
  ok INTEGER, at TEXT NOT NULL,
  PRIMARY KEY (agent, session_id, what, name)
) STRICT, WITHOUT ROWID;
CREATE TABLE limits (
  agent TEXT PRIMARY KEY, session_id TEXT, reached INTEGER NOT NULL CHECK (reached IN (0, 1)),
  used REAL, resets_at TEXT, at TEXT NOT NULL
) STRICT, WITHOUT ROWID;
"""

TRIGGERS = """
CREATE TRIGGER facts_never_deleted BEFORE DELETE ON facts
WHEN NOT EXISTS (SELECT 1 FROM erasures WHERE fact_id = OLD.id AND open = 1)
BEGIN SELECT RAISE(ABORT, 'facts are retired, never deleted'); END;
CREATE TRIGGER facts_never_rewritten
BEFORE UPDATE OF nr, id, text, text_hash, words, captured_at ON facts
BEGIN SELECT RAISE(ABORT, 'a fact is never rewritten'); END;
CREATE TRIGGER facts_retired_once BEFORE UPDATE OF retired_at ON facts
WHEN OLD.retired_at IS NOT NULL AND NEW.retired_at IS NOT NULL
BEGIN SELECT RAISE(ABORT, 'the fact is retired already'); END;
CREATE TRIGGER details_never_deleted BEFORE DELETE ON details
WHEN NOT EXISTS (SELECT 1 FROM erasures WHERE open = 1)
BEGIN SELECT RAISE(ABORT, 'what was said of a fact is never deleted'); END;
CREATE TRIGGER details_never_rewritten BEFORE UPDATE ON details
BEGIN SELECT RAISE(ABORT, 'what was said of a fact is never rewritten'); END;
CREATE TRIGGER judgments_never_deleted BEFORE DELETE ON judgments
BEGIN SELECT RAISE(ABORT, 'judgments are append-only'); END;
CREATE TRIGGER judgments_never_changed
BEFORE UPDATE OF nr, id, older_id, newer_id, verdict, probability, judge, level, run_id, vetoed_by,
  prompt_hash, asked_at, took_ms ON judgments
BEGIN SELECT RAISE(ABORT, 'judgments are append-only'); END;
CREATE TRIGGER judgments_keep_their_reason BEFORE UPDATE OF reason ON judgments
WHEN NEW.reason IS NOT NULL OR NOT EXISTS (
  SELECT 1 FROM erasures WHERE fact_id IN (OLD.older_id, OLD.newer_id) AND open = 1)
BEGIN SELECT RAISE(ABORT, 'judgments are append-only'); END;
CREATE TRIGGER outcomes_never_deleted BEFORE DELETE ON outcomes
BEGIN SELECT RAISE(ABORT, 'outcomes are append-only'); END;
CREATE TRIGGER outcomes_never_changed BEFORE UPDATE ON outcomes
BEGIN SELECT RAISE(ABORT, 'outcomes are append-only'); END;
CREATE TRIGGER migrations_never_deleted BEFORE DELETE ON migrations
BEGIN SELECT RAISE(ABORT, 'migrations are append-only'); END;
CREATE TRIGGER migrations_never_changed BEFORE UPDATE ON migrations
BEGIN SELECT RAISE(ABORT, 'migrations are append-only'); END;
CREATE TRIGGER thinker_calls_never_deleted BEFORE DELETE ON thinker_calls
BEGIN SELECT RAISE(ABORT, 'thinker calls are counted for good'); END;
CREATE TRIGGER thinker_calls_end_once
BEFORE UPDATE ON thinker_calls WHEN OLD.result <> 'started' OR NEW.at IS NOT OLD.at
BEGIN SELECT RAISE(ABORT, 'thinker calls are counted for good'); END;
CREATE TRIGGER handoff_events_never_deleted BEFORE DELETE ON handoff_events
BEGIN SELECT RAISE(ABORT, 'handoff events are append-only'); END;
CREATE TRIGGER handoff_events_never_changed BEFORE UPDATE ON handoff_events
BEGIN SELECT RAISE(ABORT, 'handoff events are append-only'); END;
CREATE TRIGGER erasures_never_deleted BEFORE DELETE ON erasures
BEGIN SELECT RAISE(ABORT, 'erasures are append-only'); END;
CREATE TRIGGER erasures_only_close BEFORE UPDATE ON erasures
WHEN NEW.open <> 0 OR NEW.fact_id IS NOT OLD.fact_id OR NEW.at IS NOT OLD.at
BEGIN SELECT RAISE(ABORT, 'erasures are append-only'); END;
CREATE VIEW open_questions AS
SELECT j.* FROM judgments AS j
WHERE j.id IN (SELECT judgment_id FROM outcomes WHERE outcome = 'asked')
  AND (SELECT outcome FROM outcomes WHERE judgment_id = j.id ORDER BY nr DESC LIMIT 1) = 'asked'
  AND NOT EXISTS (SELECT 1 FROM judgments AS later WHERE later.older_id = j.older_id
    AND later.newer_id = j.newer_id AND later.nr > j.nr)
  AND EXISTS (SELECT 1 FROM current_facts WHERE id = j.older_id)
  AND EXISTS (SELECT 1 FROM current_facts WHERE id = j.newer_id);
"""

STATEMENTS = STORE + FACTS + JUDGMENTS + WAITING + SESSIONS + THINKING + PASSING + TRIGGERS
STATEMENTS += NEIGHBOURS + VECTORS + SLEEP
