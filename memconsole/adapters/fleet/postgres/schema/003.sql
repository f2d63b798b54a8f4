-- 3: what was written and said, cut into the chunks of each host's own index.
--
-- PostgreSQL finds, the reader ranks. Words are folded and cut by the host; stems are those of SQLite's
-- full-text search. Operators read chunks by functions only: under row security no index of words is
-- used, because `@@` may leak what it is compared with. Vectors have a file of their own (vectors.sql),
-- for servers with pgvector.
--
-- What a host says of its chunks is counted and bounded here: a login that was stolen fills no disk, and
-- no reader fails over one row of it, or ranks the chunks of others by numbers that it made up.

CREATE TEXT SEARCH DICTIONARY fleet.stem (TEMPLATE = pg_catalog.snowball, LANGUAGE = porter);
CREATE TEXT SEARCH CONFIGURATION fleet.words (COPY = pg_catalog.simple);
ALTER TEXT SEARCH CONFIGURATION fleet.words
  ALTER MAPPING FOR asciiword, word, numword WITH fleet.stem;

CREATE TABLE fleet.indexes (
  id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  home int NOT NULL REFERENCES fleet.homes ON DELETE CASCADE,
  agent text NOT NULL CHECK (length(agent) <= 200),
  is_talk bool NOT NULL,
  agents text[] NOT NULL CHECK (cardinality(agents) <= 1000 AND array_ndims(agents) = 1
    AND array_position(agents, NULL) IS NULL AND length(array_to_string(agents, ' ')) <= 65536),
  model text NOT NULL DEFAULT '' CHECK (length(model) <= 200),
  stamp text NOT NULL DEFAULT '' CHECK (length(stamp) <= 400),
  epoch_chunks int NOT NULL DEFAULT 0 CHECK (epoch_chunks >= 0),
  df_unit int NOT NULL DEFAULT 1 CHECK (df_unit BETWEEN 1 AND 65536),
  df bytea CHECK (length(df) <= 131072),
  UNIQUE (home, agent, is_talk)
);
-- Two bytes a token, read here and there: compressed, each look would unpack all of it.
ALTER TABLE fleet.indexes ALTER df SET STORAGE EXTERNAL;

CREATE TABLE fleet.documents (
  index_id int NOT NULL REFERENCES fleet.indexes ON DELETE CASCADE,
  id int NOT NULL,
  path text NOT NULL CHECK (length(path) <= 4096),
  modified_at timestamptz
    CHECK (modified_at BETWEEN '0002-01-01 00:00+00' AND '9998-12-31 00:00+00'),
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
  at timestamptz CHECK (at BETWEEN '0002-01-01 00:00+00' AND '9998-12-31 00:00+00'),
  words int NOT NULL CHECK (words >= 0),
  on_path bool NOT NULL,
  tags text[] NOT NULL CHECK (cardinality(tags) <= 32 AND coalesce(array_ndims(tags), 1) = 1
    AND array_position(tags, NULL) IS NULL AND length(array_to_string(tags, ' ')) <= 2000),
  heading text NOT NULL CHECK (length(heading) <= 4096),
  lex tsvector NOT NULL,
  text text NOT NULL CHECK (length(text) <= 262144),
  tokens bytea CHECK (length(tokens) <= 262144),
  bytes int NOT NULL DEFAULT 0,
  PRIMARY KEY (index_id, id),
  CHECK (0 <= start_line AND start_line <= end_line AND end_line < 16777216),
  CHECK (words <= 4 * (length(text) + length(heading)) + 4096)
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

-- ---- how much a host has, and may have ------------------------------------------------------

-- How much there is of each index, counted by the server.
CREATE TABLE fleet.sizes (
  index_id int PRIMARY KEY REFERENCES fleet.indexes ON DELETE CASCADE,
  documents bigint NOT NULL DEFAULT 0,
  chunks bigint NOT NULL DEFAULT 0,
  words bigint NOT NULL DEFAULT 0,
  bytes bigint NOT NULL DEFAULT 0
);
ALTER TABLE fleet.sizes ENABLE ROW LEVEL SECURITY;

CREATE FUNCTION fleet.weigh() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  NEW.bytes := octet_length(NEW.text) + octet_length(NEW.heading) + pg_column_size(NEW.lex)
    + coalesce(octet_length(NEW.tokens), 0) + pg_column_size(NEW.tags);
  RETURN NEW;
END $$;
CREATE TRIGGER weigh BEFORE INSERT OR UPDATE ON fleet.chunks
  FOR EACH ROW EXECUTE FUNCTION fleet.weigh();

-- One writer of a host at a time, so that many at once see each other's; a transaction here is short.
CREATE FUNCTION fleet.keep_indexes_small() RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  mine int := fleet.me();
  found record;
BEGIN
  IF mine IS NULL THEN
    RETURN;  -- the owner
  END IF;
  PERFORM FROM fleet.homes h WHERE h.host = mine ORDER BY h.id LIMIT 1 FOR NO KEY UPDATE;
  SELECT count(*) AS indexes, sum(s.documents) AS documents, sum(s.chunks) AS chunks,
      sum(s.bytes) AS bytes INTO found
    FROM fleet.indexes i JOIN fleet.homes o ON o.id = i.home
    LEFT JOIN fleet.sizes s ON s.index_id = i.id WHERE o.host = mine;
  IF found.indexes > 4000 OR found.documents > 500000 OR found.chunks > 2000000
      OR found.bytes > 8589934592 THEN
    RAISE program_limit_exceeded USING MESSAGE = 'a host publishes 4000 indexes, 500000 documents,'
      ' 2000000 chunks and 8 GiB of text at most';
  END IF;
END $$;

CREATE FUNCTION fleet.add_sizes(
  index_id int, documents bigint, chunks bigint, words bigint, bytes bigint
) RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  UPDATE fleet.sizes s SET documents = s.documents + $2, chunks = s.chunks + $3,
    words = s.words + $4, bytes = s.bytes + $5 WHERE s.index_id = $1
$$;

CREATE FUNCTION fleet.count_index() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  INSERT INTO fleet.sizes (index_id) VALUES (NEW.id);
  PERFORM fleet.keep_indexes_small();
  RETURN NULL;
END $$;
CREATE TRIGGER counted AFTER INSERT ON fleet.indexes
  FOR EACH ROW EXECUTE FUNCTION fleet.count_index();

CREATE FUNCTION fleet.count_chunks() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF TG_OP <> 'DELETE' THEN
    PERFORM fleet.add_sizes(f.index_id, 0, count(*), sum(f.words), sum(f.bytes))
      FROM new_rows f GROUP BY f.index_id;
  END IF;
  IF TG_OP <> 'INSERT' THEN
    PERFORM fleet.add_sizes(f.index_id, 0, -count(*), -sum(f.words), -sum(f.bytes))
      FROM old_rows f GROUP BY f.index_id;
  END IF;
  IF TG_OP <> 'DELETE' THEN
    PERFORM fleet.keep_indexes_small();
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER counted_in AFTER INSERT ON fleet.chunks REFERENCING NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION fleet.count_chunks();
CREATE TRIGGER counted_anew AFTER UPDATE ON fleet.chunks
  REFERENCING NEW TABLE AS new_rows OLD TABLE AS old_rows
  FOR EACH STATEMENT EXECUTE FUNCTION fleet.count_chunks();
CREATE TRIGGER counted_out AFTER DELETE ON fleet.chunks REFERENCING OLD TABLE AS old_rows
  FOR EACH STATEMENT EXECUTE FUNCTION fleet.count_chunks();

CREATE FUNCTION fleet.count_documents() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF TG_OP <> 'DELETE' THEN
    PERFORM fleet.add_sizes(f.index_id, count(*), 0, 0, sum(octet_length(f.path)))
      FROM new_rows f GROUP BY f.index_id;
  END IF;
  IF TG_OP <> 'INSERT' THEN
    PERFORM fleet.add_sizes(f.index_id, -count(*), 0, 0, -sum(octet_length(f.path)))
      FROM old_rows f GROUP BY f.index_id;
  END IF;
  IF TG_OP <> 'DELETE' THEN
    PERFORM fleet.keep_indexes_small();
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER counted_in AFTER INSERT ON fleet.documents REFERENCING NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION fleet.count_documents();
CREATE TRIGGER counted_anew AFTER UPDATE ON fleet.documents
  REFERENCING NEW TABLE AS new_rows OLD TABLE AS old_rows
  FOR EACH STATEMENT EXECUTE FUNCTION fleet.count_documents();
CREATE TRIGGER counted_out AFTER DELETE ON fleet.documents REFERENCING OLD TABLE AS old_rows
  FOR EACH STATEMENT EXECUTE FUNCTION fleet.count_documents();

-- ---- what operators who were granted 'search' ask -------------------------------------------
--
-- Who may look where is asked first, by itself: a function in a condition is asked for each row. And lists
-- of a thousand are joined: `= ANY` of a parameter goes through all of it for each row.

-- The indexes of all hosts, or of those that are named, and the hosts that have none.
CREATE FUNCTION fleet.searchable(hosts text[] DEFAULT NULL) RETURNS TABLE (
  index_id int, host text, home int, path text, agents text[], is_talk bool, model text, chunks int,
  words bigint, epoch_chunks int, looked_at timestamptz, beat_s int, now timestamptz)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  WITH mine AS MATERIALIZED (SELECT unnest((SELECT fleet.hosts_for('search'))) AS id)
  SELECT i.id, h.name, o.id, o.path, i.agents, i.is_talk, i.model, s.chunks::int, s.words,
    i.epoch_chunks, o.looked_at, h.beat_s, clock_timestamp()
  FROM fleet.hosts h LEFT JOIN fleet.homes o ON o.host = h.id
    LEFT JOIN fleet.indexes i ON i.home = o.id LEFT JOIN fleet.sizes s ON s.index_id = i.id
  WHERE h.id IN (SELECT m.id FROM mine m) AND h.joined_at IS NOT NULL
    AND h.left_at IS NULL AND ($1 IS NULL OR h.name IN (SELECT unnest($1)))
  ORDER BY h.name, o.path, i.agent, i.is_talk
$$;

-- Of the indexes that are asked for, those that this role may search.
CREATE FUNCTION fleet.allowed(wanted int[]) RETURNS int[]
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  WITH mine AS MATERIALIZED (SELECT unnest((SELECT fleet.hosts_for('search'))) AS id)
  SELECT coalesce(array_agg(i.id), '{}') FROM fleet.indexes i
    JOIN fleet.homes o ON o.id = i.home JOIN fleet.hosts h ON h.id = o.host
  WHERE i.id IN (SELECT unnest($1)) AND h.left_at IS NULL
    AND h.id IN (SELECT m.id FROM mine m)
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
  SELECT CASE WHEN NOT EXISTS (SELECT id FROM fleet.indexes EXCEPT SELECT unnest($2)) THEN 'true'
    ELSE format('%s.index_id = ANY (%L::int[])', $1, $2) END
$$;

CREATE FUNCTION fleet.is_small(indexes int[]) RETURNS bool
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  SELECT coalesce(sum(s.chunks) FILTER (WHERE s.index_id = ANY ($1)), 0)
    <= least(5000, sum(s.chunks) / 10) FROM fleet.sizes s
$$;

-- The chunks to look at. Those of a small part of the fleet are read one by one: an index of words names
-- those of everybody.
CREATE FUNCTION fleet.chunks_in(indexes int[]) RETURNS text
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  SELECT format('(SELECT * FROM fleet.chunks c WHERE %s%s) c', fleet.within('c', $1),
    CASE WHEN fleet.is_small($1) THEN ' OFFSET 0' ELSE '' END)
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
  allowed int[] := fleet.allowed($1);
  scope text := fleet.chunks_in(allowed);
  is_of_all bool;
  sought text;
  plan json;
  found int;
  made int[] := '{}';
BEGIN
  IF fleet.is_small(allowed) THEN
    SELECT string_agg(format('count(*) FILTER (WHERE c.lex @@ %L::tsquery)',
      fleet.meant(t.term, t.is_beginning)), ', ' ORDER BY t.n) INTO sought
      FROM unnest($2, $3) WITH ORDINALITY AS t (term, is_beginning, n);
    EXECUTE format('SELECT ARRAY[%s]::int[] FROM %s', sought, scope) INTO made;
    RETURN made;
  END IF;
  is_of_all := fleet.within('c', fleet.allowed((SELECT array_agg(id) FROM fleet.indexes))) = 'true';
  FOR n IN 1 .. coalesce(cardinality($2), 0) LOOP
    sought := format('SELECT 1 FROM %s WHERE c.lex @@ %L::tsquery', scope,
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
    ' FROM %s WHERE c.lex @@ %L::tsquery AND %s LIMIT 5000) c'
    ' ORDER BY score DESC, c.index_id, c.id LIMIT %s',
    parts, fleet.chunks_in(fleet.allowed($1)), wanted, fleet.since($8, $9), least($10, 5000));
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

-- How often tokens occur: over the largest of the indexes, which say it well for all. Hosts count by how
-- many chunks they have, one of several never for more than half of the others, and what is believed is
-- the middle third of what they say: so where there are three, one that lies moves nothing beyond what
-- another one says.
CREATE FUNCTION fleet.frequencies(indexes int[], tokens int[], most int)
RETURNS TABLE (token int, df bigint, chunks bigint)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  WITH allowed AS MATERIALIZED (SELECT unnest((SELECT fleet.allowed($1))) AS id), asked AS (
    SELECT o.host, i.df, i.df_unit::float8 / i.epoch_chunks AS unit,
      least(i.epoch_chunks, s.chunks)::float8 AS chunks
    FROM fleet.indexes i JOIN fleet.sizes s ON s.index_id = i.id JOIN fleet.homes o ON o.id = i.home
    WHERE i.id IN (SELECT a.id FROM allowed a) AND i.df IS NOT NULL AND i.epoch_chunks > 0
      AND s.chunks > 0
    ORDER BY row_number() OVER (PARTITION BY o.host ORDER BY s.chunks DESC), s.chunks DESC, i.id
    LIMIT least($3, 1000)
  ), hosts AS (
    SELECT a.host, sum(a.chunks) AS own, row_number() OVER (ORDER BY sum(a.chunks) DESC) AS place
    FROM asked a GROUP BY a.host
  ), bound AS (
    SELECT sum(h.own) AS every, CASE WHEN count(*) < 3 THEN min(h.own) ELSE least(
      sum(h.own) FILTER (WHERE place > 1) / 2, sum(h.own) FILTER (WHERE place > 2)) END AS most
    FROM hosts h
  ), said AS (
    SELECT a.host, t.token, sum(a.chunks * least(1, a.unit * CASE WHEN length(t.two) = 2
      THEN get_byte(t.two, 0) + 256 * get_byte(t.two, 1) ELSE 0 END)) / sum(a.chunks) AS share
    FROM asked a, LATERAL (SELECT u.token, substring(a.df FROM 2 * u.token + 1 FOR 2) AS two
      FROM unnest($2) AS u (token) WHERE u.token BETWEEN 0 AND 65535) t
    GROUP BY a.host, t.token
  ), weighed AS (
    SELECT s.token, s.share, least(h.own, b.most) AS weight,
      sum(least(h.own, b.most)) OVER (PARTITION BY s.token ORDER BY s.share, s.host) AS until,
      sum(least(h.own, b.most)) OVER (PARTITION BY s.token) AS whole
    FROM said s JOIN hosts h ON h.host = s.host CROSS JOIN bound b
  ), middle AS (
    SELECT w.token, w.share, greatest(0, least(w.until, w.whole * 2 / 3)
      - greatest(w.until - w.weight, w.whole / 3)) AS part
    FROM weighed w
  )
  SELECT m.token, round(sum(m.share * m.part) / sum(m.part) * b.every)::bigint, b.every::bigint
  FROM middle m CROSS JOIN bound b GROUP BY m.token, b.every
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
GRANT EXECUTE ON FUNCTION fleet.searchable(text[]), fleet.counts(int[], text[], bool[], int),
  fleet.with_words(int[], text[], bool[], float8[], int, bool, float8, timestamptz, text, int),
  fleet.frequencies(int[], int[], int), fleet.tokens(int[], bigint[]),
  fleet.rows(int[], bigint[], bool), fleet.lines(int, text) TO fleet_operator;
