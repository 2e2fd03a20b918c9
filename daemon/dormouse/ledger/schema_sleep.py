"""What sleep adds to the schema, as SQL."""

SLEEP = """
CREATE TRIGGER sources_never_deleted BEFORE DELETE ON sources
WHEN OLD.from_fact IS NULL AND NOT (OLD.how = 'rem' AND OLD.nr > 1)
  AND NOT EXISTS (SELECT 1 FROM erasures WHERE fact_id = OLD.fact_id AND open = 1)
BEGIN SELECT RAISE(ABORT, 'where a fact comes from is kept; only what a night added goes'); END;
"""
