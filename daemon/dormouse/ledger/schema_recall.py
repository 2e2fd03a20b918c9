"""The tables of recall beside the search index: neighbours' words, vectors. Holds SQL only."""

# Where a stored conversation (an import, a caller's session_id) is kept turn by turn, a fact is
# also found by the words of those around it. They hang on triggers, so that whatever retires,
# restores or erases a fact takes its words away from its neighbours. Two on each side, as heavy as
# .35 of the fact's own: LoCoMo TUNE R@5 / R@10 by words alone .548 / .631 without, .629 / .721 with
# one each, .660 / .742 with two, .635 / .735 with three; two at .2 .647 / .736, at .5 .649 / .735.
AROUND = 2
_NEAR = f"""SELECT fact_nr FROM conversation_facts WHERE conversation = {{row}}.conversation
    AND place BETWEEN {{row}}.place - {AROUND} AND {{row}}.place + {AROUND}"""
_REWRITE = """
  INSERT INTO search (search, rowid, words, near)
    SELECT 'delete', nr, words, near FROM search_rows WHERE nr IN ({rows});
  INSERT OR REPLACE INTO neighbours (fact_nr, words)
    SELECT fact_nr, words FROM neighbour_words WHERE fact_nr IN ({rows});
  INSERT INTO search (rowid, words, near)
    SELECT nr, words, near FROM search_rows WHERE nr IN ({rows});"""
_OF_FACT = f"""SELECT o.fact_nr FROM conversation_facts AS c JOIN conversation_facts AS o
    ON o.conversation = c.conversation AND o.place BETWEEN c.place - {AROUND} AND c.place + {AROUND}
    WHERE c.fact_nr = NEW.nr"""
NEIGHBOURS = f"""
CREATE TABLE conversation_facts (
  conversation TEXT NOT NULL, place INTEGER NOT NULL,
  fact_nr INTEGER NOT NULL UNIQUE REFERENCES facts (nr) ON DELETE CASCADE,
  PRIMARY KEY (conversation, place)
) STRICT, WITHOUT ROWID;
CREATE VIEW neighbour_words AS
SELECT c.fact_nr, coalesce((
  SELECT group_concat(f.words, ' ') FROM conversation_facts AS o
  JOIN current_facts AS f ON f.nr = o.fact_nr WHERE o.conversation = c.conversation
    AND o.place BETWEEN c.place - {AROUND} AND c.place + {AROUND} AND o.place <> c.place
), '') AS words FROM conversation_facts AS c;
CREATE TRIGGER neighbours_come AFTER INSERT ON conversation_facts
BEGIN{_REWRITE.format(rows=_NEAR.format(row="NEW"))}
END;
CREATE TRIGGER neighbours_go AFTER DELETE ON conversation_facts
BEGIN{_REWRITE.format(rows=_NEAR.format(row="OLD"))}
END;
CREATE TRIGGER neighbours_retire AFTER UPDATE OF retired_at ON facts
WHEN EXISTS (SELECT 1 FROM conversation_facts WHERE fact_nr = NEW.nr)
BEGIN{_REWRITE.format(rows=_OF_FACT)}
END;
"""

# Vectors lie by the fact's number, so that they are read in one go; `moved` tells who holds them in
# memory which facts have changed since it looked.
VECTORS = """
CREATE TABLE embedders (
  nr INTEGER PRIMARY KEY, model TEXT NOT NULL, revision TEXT NOT NULL, UNIQUE (model, revision)
) STRICT;
CREATE TABLE vectors (
  embedder INTEGER NOT NULL REFERENCES embedders (nr),
  fact_nr INTEGER NOT NULL REFERENCES facts (nr) ON DELETE CASCADE,
  vector BLOB NOT NULL,
  PRIMARY KEY (embedder, fact_nr)
) STRICT, WITHOUT ROWID;
CREATE INDEX vectors_by_fact ON vectors (fact_nr);
CREATE TABLE moved (nr INTEGER PRIMARY KEY, fact_nr INTEGER NOT NULL) STRICT;
CREATE TRIGGER moved_by_vector AFTER INSERT ON vectors
BEGIN INSERT INTO moved (fact_nr) VALUES (NEW.fact_nr); END;
CREATE TRIGGER moved_by_change AFTER UPDATE OF retired_at, scope, project_id, branch ON facts
BEGIN INSERT INTO moved (fact_nr) VALUES (NEW.nr); END;
CREATE TRIGGER moved_by_erasing AFTER DELETE ON facts
BEGIN INSERT INTO moved (fact_nr) VALUES (OLD.nr); END;
"""
