"""What the writer's connection may compile. Everything that is not listed is refused.

It stands in front of the triggers: a statement that could lose or rewrite a fact is never run.
"""

import sqlcipher3.dbapi2 as sqlcipher

OK: int = sqlcipher.SQLITE_OK
DENY: int = sqlcipher.SQLITE_DENY
ALLOWED = frozenset(
    (
        sqlcipher.SQLITE_SELECT,
        sqlcipher.SQLITE_READ,
        sqlcipher.SQLITE_RECURSIVE,
        sqlcipher.SQLITE_TRANSACTION,
        sqlcipher.SQLITE_SAVEPOINT,
    )
)
# Tables whose rows only grow, or are only changed by the maintenance connection.
GROW_ONLY = frozenset({"judgments", "outcomes"})
SEALED = frozenset({"store", "migrations", "erasures", "copies"})
# Of a fact only these may change. Its id, text, hash and times of saying are not among them.
FACT_COLUMNS = frozenset(
    [
        "retired_at",
        "retired_because",
        "superseded_by",
        "valid_to",
        "confidence",
        "importance",
        "weight",
        "trust",
        "pinned",
        "layer",
        "scope",
        "project_id",
        "branch",
        "subject",
        "attribute",
        "value",
    ]
)
DELETABLE = frozenset(
    [
        "unsettled",
        "sources",  # a trigger keeps all but what was moved from a duplicate
        "unsure_pairs",
        "candidates",
        "kept_answers",
        "suppressions",
        "turns",
        "project_paths",
        "proposals",
        "vectors",
        "moved",
        "focus",
        "touched",
        "search_data",
        "search_idx",
        "search_content",
        "search_docsize",
        "search_config",
    ]
)
# Read-only, or harmless: FTS5 itself asks for data_version.
PRAGMAS = frozenset({"data_version", "wal_checkpoint"})
READABLE_PRAGMAS = frozenset(
    [
        "foreign_keys",
        "recursive_triggers",
        "trusted_schema",
        "secure_delete",
        "synchronous",
        "temp_store",
        "journal_mode",
        "query_only",
        "page_count",
        "freelist_count",
    ]
)
FORBIDDEN_FUNCTIONS = frozenset({"load_extension", "sqlcipher_export", "fts3_tokenizer"})


def authorize(
    action: int, one: str | None, two: str | None, database: str | None, inner: str | None
) -> int:
    """SQLite's callback at compiling a statement: SQLITE_OK or SQLITE_DENY."""
    return OK if allowed(action, one, two) else DENY


def allowed(action: int, one: str | None, two: str | None) -> bool:
    """Whether the writer may do *action* on *one* (a table, a pragma) and *two* (a column)."""
    if action in ALLOWED:
        return True
    if action == sqlcipher.SQLITE_INSERT:
        return one not in SEALED and not _is_system(one)
    if action == sqlcipher.SQLITE_UPDATE:
        if one == "facts":
            return two in FACT_COLUMNS
        return one not in GROW_ONLY | SEALED and not _is_system(one)
    if action == sqlcipher.SQLITE_DELETE:
        return one in DELETABLE
    if action == sqlcipher.SQLITE_FUNCTION:
        return two not in FORBIDDEN_FUNCTIONS
    if action == sqlcipher.SQLITE_PRAGMA:
        return one in PRAGMAS or (one in READABLE_PRAGMAS and two is None)
    return False


def _is_system(table: str | None) -> bool:
    return table is None or table.startswith("sqlite_")
