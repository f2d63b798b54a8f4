-- 5: what a host says of its chunks is counted and bounded here: a login that was stolen fills no disk,
-- and no reader fails over one row of it, or ranks the chunks of others by numbers that it made up.

-- What readers cannot hold, or nobody who is honest writes. A host of before wrote none of it.
ALTER TABLE fleet.documents ADD CONSTRAINT documents_time
  CHECK (modified_at BETWEEN '0002-01-01 00:00+00' AND '9998-12-31 00:00+00');
ALTER TABLE fleet.chunks
  ADD CONSTRAINT chunks_time CHECK (at BETWEEN '0002-01-01 00:00+00' AND '9998-12-31 00:00+00'),
  ADD CONSTRAINT chunks_lines CHECK (0 <= start_line AND start_line <= end_line
    AND end_line < 16777216),
  ADD CONSTRAINT chunks_tags CHECK (coalesce(array_ndims(tags), 1) = 1
    AND array_position(tags, NULL) IS NULL AND length(array_to_string(tags, ' ')) <= 2000),
  ADD CONSTRAINT chunks_words CHECK (words <= 4 * (length(text) + length(heading)) + 4096);
ALTER TABLE fleet.indexes
  ADD CONSTRAINT indexes_agents CHECK (array_ndims(agents) = 1
    AND array_position(agents, NULL) IS NULL AND length(array_to_string(agents, ' ')) <= 65536),
  ADD CONSTRAINT indexes_counts CHECK (epoch_chunks >= 0 AND df_unit BETWEEN 1 AND 65536);

-- How much there is of each index, counted by the server. `indexes.chunks` and `.words` are what the
-- host said, and nobody reads them any more.
CREATE TABLE fleet.sizes (
  index_id int PRIMARY KEY REFERENCES fleet.indexes ON DELETE CASCADE,
  documents bigint NOT NULL DEFAULT 0,
  chunks bigint NOT NULL DEFAULT 0,
  words bigint NOT NULL DEFAULT 0,
  bytes bigint NOT NULL DEFAULT 0
);
ALTER TABLE fleet.sizes ENABLE ROW LEVEL SECURITY;
ALTER TABLE fleet.chunks ADD COLUMN bytes int NOT NULL DEFAULT 0;

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

UPDATE fleet.chunks SET bytes = 0;
INSERT INTO fleet.sizes (index_id) SELECT i.id FROM fleet.indexes i ON CONFLICT DO NOTHING;
UPDATE fleet.sizes s SET (documents, chunks, words, bytes) = (
  SELECT (SELECT count(*) FROM fleet.documents d WHERE d.index_id = s.index_id), count(*),
    coalesce(sum(c.words), 0), coalesce(sum(c.bytes), 0) + (SELECT
      coalesce(sum(octet_length(d.path)), 0) FROM fleet.documents d WHERE d.index_id = s.index_id)
  FROM fleet.chunks c WHERE c.index_id = s.index_id);

CREATE OR REPLACE FUNCTION fleet.searchable() RETURNS TABLE (
  index_id int, host text, home int, path text, agents text[], is_talk bool, model text, chunks int,
  words bigint, epoch_chunks int, looked_at timestamptz, beat_s int, now timestamptz)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  SELECT i.id, h.name, o.id, o.path, i.agents, i.is_talk, i.model, s.chunks::int, s.words,
    i.epoch_chunks, o.looked_at, h.beat_s, clock_timestamp()
  FROM fleet.hosts h LEFT JOIN fleet.homes o ON o.host = h.id
    LEFT JOIN fleet.indexes i ON i.home = o.id LEFT JOIN fleet.sizes s ON s.index_id = i.id
  WHERE h.id = ANY ((SELECT fleet.hosts_for('search'))::int[]) AND h.joined_at IS NOT NULL
    AND h.left_at IS NULL
  ORDER BY h.name, o.path, i.agent, i.is_talk
$$;

-- How often tokens occur: over the largest of the indexes, which say it well for all. What an index
-- says counts as much as it has chunks, and one host never for more than all others together.
CREATE OR REPLACE FUNCTION fleet.frequencies(indexes int[], tokens int[], most int)
RETURNS TABLE (token int, df bigint, chunks bigint)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  WITH asked AS (
    SELECT o.host, i.df, i.df_unit, i.epoch_chunks, least(i.epoch_chunks, s.chunks) AS chunks
    FROM fleet.indexes i JOIN fleet.sizes s ON s.index_id = i.id JOIN fleet.homes o ON o.id = i.home
    WHERE i.id = ANY ((SELECT fleet.allowed($1))::int[]) AND i.df IS NOT NULL AND i.epoch_chunks > 0
    ORDER BY row_number() OVER (PARTITION BY o.host ORDER BY s.chunks DESC), s.chunks DESC, i.id
    LIMIT least($3, 1000)
  ), hosts AS (
    SELECT a.host, sum(a.chunks) AS own, sum(sum(a.chunks)) OVER () AS every
    FROM asked a GROUP BY a.host
  ), weights AS (
    SELECT h.host, CASE WHEN h.own * 2 <= h.every OR h.own = h.every THEN 1.0
      ELSE (h.every - h.own) / h.own END AS share FROM hosts h
  ), pairs AS (
    SELECT t.token, a.chunks * w.share * a.df_unit / a.epoch_chunks AS unit, a.chunks * w.share AS most,
      substring(a.df FROM 2 * t.token + 1 FOR 2) AS two
    FROM asked a JOIN weights w ON w.host = a.host, unnest($2) AS t (token)
    WHERE t.token BETWEEN 0 AND 65535
  )
  SELECT p.token, round(sum(least(p.most, p.unit * CASE WHEN length(p.two) = 2
      THEN get_byte(p.two, 0) + 256 * get_byte(p.two, 1) ELSE 0 END)))::bigint,
    (SELECT round(sum(a.chunks * w.share))::bigint FROM asked a JOIN weights w ON w.host = a.host)
  FROM pairs p GROUP BY p.token
$$;
