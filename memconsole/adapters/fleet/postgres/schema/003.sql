-- 3: what was written and said, cut into the chunks of each host's own index.
--
-- PostgreSQL finds, the reader ranks. Words are folded and cut by the host; stems are those of SQLite's
-- full-text search. Operators read chunks by functions only: under row security no index of words is
-- used, because `@@` may leak what it is compared with. Vectors have a file of their own (vectors.sql),
-- for servers with pgvector.

CREATE TEXT SEARCH DICTIONARY fleet.stem (TEMPLATE = pg_catalog.snowball, LANGUAGE = porter);
CREATE TEXT SEARCH CONFIGURATION fleet.words (COPY = pg_catalog.simple);
ALTER TEXT SEARCH CONFIGURATION fleet.words
  ALTER MAPPING FOR asciiword, word, numword WITH fleet.stem;

CREATE TABLE fleet.indexes (
  id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  home int NOT NULL REFERENCES fleet.homes ON DELETE CASCADE,
  agent text NOT NULL CHECK (length(agent) <= 200),
  is_talk bool NOT NULL,
  agents text[] NOT NULL CHECK (cardinality(agents) <= 1000),
  model text NOT NULL DEFAULT '' CHECK (length(model) <= 200),
  stamp text NOT NULL DEFAULT '' CHECK (length(stamp) <= 400),
  chunks int NOT NULL DEFAULT 0,
  words bigint NOT NULL DEFAULT 0,
  epoch_chunks int NOT NULL DEFAULT 0,
  df_unit int NOT NULL DEFAULT 1,
  df bytea CHECK (length(df) <= 131072),
  UNIQUE (home, agent, is_talk)
);
-- Two bytes a token, read here and there: compressed, each look would unpack all of it.
ALTER TABLE fleet.indexes ALTER df SET STORAGE EXTERNAL;

CREATE TABLE fleet.documents (
  index_id int NOT NULL REFERENCES fleet.indexes ON DELETE CASCADE,
  id int NOT NULL,
  path text NOT NULL CHECK (length(path) <= 4096),
  modified_at timestamptz,
  is_archived bool NOT NULL,
  PRIMARY KEY (index_id, id)
);

CREATE TABLE fleet.chunks (
  index_id int NOT NULL REFERENCES fleet.indexes ON DELETE CASCADE,
  id bigint NOT NULL CHECK (id BETWEEN 0 AND 1099511627775),
  document int NOT NULL,
  hash bigint NOT NULL,
  start_line int NOT NULL,
  end_line int NOT NULL,
  at timestamptz,
  words int NOT NULL CHECK (words >= 0),
  on_path bool NOT NULL,
  tags text[] NOT NULL CHECK (cardinality(tags) <= 32),
  heading text NOT NULL CHECK (length(heading) <= 4096),
  lex tsvector NOT NULL,
  text text NOT NULL CHECK (length(text) <= 262144),
  tokens bytea CHECK (length(tokens) <= 262144),
  PRIMARY KEY (index_id, id)
);
CREATE INDEX chunks_of_document ON fleet.chunks (index_id, document);
CREATE INDEX chunks_lex ON fleet.chunks USING gin (lex) WITH (fastupdate = off);
-- What is read of hundreds of chunks stays in the row, what is read of a few goes out of line.
ALTER TABLE fleet.chunks ALTER lex SET STATISTICS 1000, ALTER lex SET STORAGE MAIN;

CREATE FUNCTION fleet.my_indexes() RETURNS int[]
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  SELECT coalesce(array_agg(id), '{}') FROM fleet.indexes
  WHERE home = ANY ((SELECT fleet.my_homes())::int[])
$$;

ALTER TABLE fleet.indexes ENABLE ROW LEVEL SECURITY;
ALTER TABLE fleet.documents ENABLE ROW LEVEL SECURITY;
ALTER TABLE fleet.chunks ENABLE ROW LEVEL SECURITY;
CREATE POLICY own ON fleet.indexes FOR ALL TO fleet_host
  USING (home = ANY ((SELECT fleet.my_homes())::int[]))
  WITH CHECK (home = ANY ((SELECT fleet.my_homes())::int[]));
CREATE POLICY own ON fleet.documents FOR ALL TO fleet_host
  USING (index_id = ANY ((SELECT fleet.my_indexes())::int[]))
  WITH CHECK (index_id = ANY ((SELECT fleet.my_indexes())::int[]));
CREATE POLICY own ON fleet.chunks FOR ALL TO fleet_host
  USING (index_id = ANY ((SELECT fleet.my_indexes())::int[]))
  WITH CHECK (index_id = ANY ((SELECT fleet.my_indexes())::int[]));
GRANT SELECT, INSERT, UPDATE, DELETE ON fleet.indexes, fleet.documents, fleet.chunks TO fleet_host;

-- ---- what operators who were granted 'search' ask -------------------------------------------
--
-- Who may look where is asked in a subquery: a function in a condition is asked for each row.

CREATE FUNCTION fleet.searchable() RETURNS TABLE (
  index_id int, host text, home int, path text, agents text[], is_talk bool, model text, chunks int,
  words bigint, epoch_chunks int, looked_at timestamptz, beat_s int, now timestamptz)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  SELECT i.id, h.name, o.id, o.path, i.agents, i.is_talk, i.model, i.chunks, i.words, i.epoch_chunks,
    o.looked_at, h.beat_s, clock_timestamp()
  FROM fleet.hosts h LEFT JOIN fleet.homes o ON o.host = h.id
    LEFT JOIN fleet.indexes i ON i.home = o.id
  WHERE h.id = ANY ((SELECT fleet.hosts_for('search'))::int[]) AND h.joined_at IS NOT NULL
    AND h.left_at IS NULL
  ORDER BY h.name, o.path, i.agent, i.is_talk
$$;

-- Of the indexes that are asked for, those that this role may search.
CREATE FUNCTION fleet.allowed(wanted int[]) RETURNS int[]
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  SELECT coalesce(array_agg(i.id), '{}') FROM fleet.indexes i
    JOIN fleet.homes o ON o.id = i.home JOIN fleet.hosts h ON h.id = o.host
  WHERE i.id = ANY ($1) AND h.left_at IS NULL
    AND h.id = ANY ((SELECT fleet.hosts_for('search'))::int[])
$$;

CREATE FUNCTION fleet.meant(term text, is_beginning bool) RETURNS tsquery
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
  SELECT CASE WHEN $2 THEN to_tsquery('fleet.words',
      '''' || replace(replace($1, '\', ' '), '''', ' ') || ''':*')
    ELSE phraseto_tsquery('fleet.words', $1) END
$$;

-- The condition that says where to look: nothing when that is everywhere.
CREATE FUNCTION fleet.within(alias text, indexes int[]) RETURNS text
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  SELECT CASE WHEN NOT EXISTS (SELECT FROM fleet.indexes WHERE id <> ALL ($2)) THEN 'true'
    ELSE format('%s.index_id = ANY (%L::int[])', $1, $2) END
$$;

CREATE FUNCTION fleet.since(since timestamptz, tag text) RETURNS text
LANGUAGE sql IMMUTABLE SET search_path = pg_catalog, pg_temp AS $$
  SELECT CASE WHEN $1 IS NULL THEN 'true' ELSE format('coalesce(c.at, (SELECT d.modified_at'
      ' FROM fleet.documents d WHERE d.index_id = c.index_id AND d.id = c.document)) >= %L', $1) END
    || CASE WHEN $2 IS NULL THEN '' ELSE format(' AND %L = ANY (c.tags)', $2) END
$$;

-- In how many chunks each term is. Up to `exact` rows it is counted; where the statistics know of
-- more, they are believed. They are of everybody, so only who may search everything is told of them.
CREATE FUNCTION fleet.counts(indexes int[], terms text[], is_beginning bool[], exact int)
RETURNS int[]
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  scope text := fleet.within('c', fleet.allowed($1));
  is_of_all bool := fleet.within('c', fleet.allowed((SELECT array_agg(id) FROM fleet.indexes)))
    = 'true';
  sought text;
  plan json;
  found int;
  made int[] := '{}';
BEGIN
  FOR n IN 1 .. coalesce(cardinality($2), 0) LOOP
    sought := format('SELECT 1 FROM fleet.chunks c WHERE %s AND c.lex @@ %L::tsquery', scope,
      fleet.meant($2[n], $3[n]));
    EXECUTE 'EXPLAIN (FORMAT JSON) ' || sought INTO plan;
    found := (plan -> 0 -> 'Plan' ->> 'Plan Rows')::numeric;
    IF found < $4 OR NOT is_of_all THEN
      EXECUTE format('SELECT count(*) FROM (%s) f', sought) INTO found;
    END IF;
    made := made || found;
  END LOOP;
  RETURN made;
END $$;

-- The best chunks with any of the first `deciding` terms, or with all of these, by BM25. How often a
-- term is in a chunk is read from `ts_rank` of the term alone, which is that of its positions:
-- 0.1 / (pi^2 / 6) * sum of 1 / i^2.
CREATE FUNCTION fleet.with_words(
  indexes int[], terms text[], is_beginning bool[], weights float8[], deciding int, is_all bool,
  average float8, since timestamptz, tag text, n int
) RETURNS TABLE (index_id int, id bigint, score float8)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  allowed int[] := fleet.allowed($1);
  sought text;
  wanted text := '';
  parts text := '0';
BEGIN
  FOR n IN 1 .. coalesce(cardinality($2), 0) LOOP
    sought := fleet.meant($2[n], $3[n])::text;
    CONTINUE WHEN sought = '';
    IF n <= $5 THEN
      wanted := wanted || CASE WHEN wanted = '' THEN '' WHEN $6 THEN ' & ' ELSE ' | ' END
        || '(' || sought || ')';
    END IF;
    parts := parts || format(' + fleet.bm25(ts_rank(c.lex, %L::tsquery), %L, c.words / %L::float8)',
      sought, $4[n], greatest($7, 1));
  END LOOP;
  IF wanted = '' THEN
    RETURN;
  END IF;
  RETURN QUERY EXECUTE format(
    'SELECT c.index_id, c.id, (%s)::float8 AS score FROM (SELECT c.index_id, c.id, c.lex, c.words'
    ' FROM fleet.chunks c WHERE %s AND c.lex @@ %L::tsquery AND %s LIMIT 20000) c'
    ' ORDER BY score DESC, c.index_id, c.id LIMIT %s',
    parts, fleet.within('c', allowed), wanted, fleet.since($8, $9), least($10, 5000));
END $$;

-- Weight * tf * (k1 + 1) / (tf + k1 * (1 - b + b * longer)), with k1 = 1.2 and b = 0.75 as in FTS5, all
-- divided by tf, so that `ts_rank` is asked once: what stands twice in here is done twice.
-- `longer` is the length of the chunk against that of the average one.
CREATE FUNCTION fleet.bm25(rank float4, weight float8, longer float8) RETURNS float8
LANGUAGE sql IMMUTABLE RETURN coalesce($2 * 2.2 / (1 + 1.2 * (0.25 + 0.75 * $3)
  / nullif(pg_catalog.width_bucket($1::float8,
  '{0.0303964, 0.0683918, 0.0793683, 0.0846454, 0.0877610, 0.0898212, 0.0912859, 0.0923812,
  0.0932314, 0.0939106, 0.0944658, 0.0949281, 0.0953190, 0.0956540, 0.0959442, 0.0961980,
  0.0964219, 0.0966209, 0.0967989, 0.0969591, 0.0971040, 0.0972357, 0.0973560, 0.0974662,
  0.0975676, 0.0976612, 0.0977479, 0.0978284, 0.0979033, 0.0979732, 0.0980386, 0.0980999}'::float8[]), 0)), 0);

-- How often tokens occur: over the largest of the indexes, which say it well for all.
CREATE FUNCTION fleet.frequencies(indexes int[], tokens int[], most int)
RETURNS TABLE (token int, df bigint, chunks bigint)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  WITH asked AS (
    SELECT i.df, i.df_unit, i.epoch_chunks FROM fleet.indexes i
    WHERE i.id = ANY ((SELECT fleet.allowed($1))::int[]) AND i.df IS NOT NULL
    ORDER BY i.epoch_chunks DESC, i.id LIMIT least($3, 1000)
  ), pairs AS (
    SELECT t.token, a.df_unit, substring(a.df FROM 2 * t.token + 1 FOR 2) AS two
    FROM asked a, unnest($2) AS t (token)
  )
  SELECT p.token, sum(p.df_unit::bigint * CASE WHEN length(p.two) = 2
      THEN get_byte(p.two, 0) + 256 * get_byte(p.two, 1) ELSE 0 END)::bigint,
    (SELECT sum(a.epoch_chunks)::bigint FROM asked a)
  FROM pairs p GROUP BY p.token
$$;

CREATE FUNCTION fleet.tokens(indexes int[], ids bigint[])
RETURNS TABLE (index_id int, id bigint, tokens bytea)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  SELECT c.index_id, c.id, c.tokens FROM unnest($1, $2) AS w (index_id, id)
    JOIN fleet.chunks c ON c.index_id = w.index_id AND c.id = w.id
  WHERE w.index_id = ANY ((SELECT fleet.allowed($1))::int[]) AND c.tokens IS NOT NULL
$$;

CREATE FUNCTION fleet.rows(indexes int[], ids bigint[], with_text bool) RETURNS TABLE (
  index_id int, id bigint, path text, start_line int, end_line int, heading text, text text,
  is_archived bool, on_path bool, modified_at timestamptz, at timestamptz, tags text[])
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  SELECT c.index_id, c.id, d.path, c.start_line, c.end_line, c.heading,
    CASE WHEN $3 THEN c.text ELSE '' END, d.is_archived, c.on_path, d.modified_at, c.at, c.tags
  FROM unnest($1, $2) AS w (index_id, id)
    JOIN fleet.chunks c ON c.index_id = w.index_id AND c.id = w.id
    JOIN fleet.documents d ON d.index_id = c.index_id AND d.id = c.document
  WHERE w.index_id = ANY ((SELECT fleet.allowed($1))::int[])
$$;

CREATE FUNCTION fleet.lines(index_id int, path text)
RETURNS TABLE (start_line int, end_line int, text text)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  SELECT c.start_line, c.end_line, c.text FROM fleet.documents d
    JOIN fleet.chunks c ON c.index_id = d.index_id AND c.document = d.id
  WHERE d.index_id = $1 AND d.index_id = ANY ((SELECT fleet.allowed(ARRAY[$1]))::int[]) AND d.path = $2
  ORDER BY c.start_line, c.id
$$;

GRANT EXECUTE ON FUNCTION fleet.my_indexes() TO fleet_host;
GRANT EXECUTE ON FUNCTION fleet.searchable(), fleet.counts(int[], text[], bool[], int),
  fleet.with_words(int[], text[], bool[], float8[], int, bool, float8, timestamptz, text, int),
  fleet.frequencies(int[], int[], int), fleet.tokens(int[], bigint[]),
  fleet.rows(int[], bigint[], bool), fleet.lines(int, text) TO fleet_operator;
