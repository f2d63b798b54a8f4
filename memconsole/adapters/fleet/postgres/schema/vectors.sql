-- Vectors of chunks, where there is pgvector 0.8 or later; @vector@ is the schema that it is in.
--
-- Run as fleet_owner by `fleet init` and `fleet upgrade`; nothing happens where the table is there.

CREATE TABLE fleet.vectors (
  index_id int NOT NULL,
  id bigint NOT NULL,
  vector @vector@.halfvec(256) NOT NULL CHECK (@vector@.l2_norm(vector) > 0),
  PRIMARY KEY (index_id, id),
  FOREIGN KEY (index_id, id) REFERENCES fleet.chunks ON DELETE CASCADE
);
-- 32 bytes a vector; what it finds is compared with the vectors themselves.
CREATE INDEX vectors_near ON fleet.vectors
  USING hnsw ((@vector@.binary_quantize(vector)::bit(256)) @vector@.bit_hamming_ops);
ALTER TABLE fleet.vectors ENABLE ROW LEVEL SECURITY;
CREATE POLICY own ON fleet.vectors FOR ALL TO fleet_host
  USING (index_id = ANY ((SELECT fleet.my_indexes())::int[]))
  WITH CHECK (index_id = ANY ((SELECT fleet.my_indexes())::int[]));
GRANT SELECT, INSERT, UPDATE, DELETE ON fleet.vectors TO fleet_host;

-- The nearest chunks and their cosines. Of few chunks all are compared: an index of all vectors would
-- spend its time on those of others.
CREATE FUNCTION fleet.near(
  indexes int[], vector text, since timestamptz, tag text, n int, is_exact bool
) RETURNS TABLE (index_id int, id bigint, cosine float8)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  scope text := fleet.within('v', fleet.allowed($1));
  narrow text := fleet.since($3, $4);
  wanted text := format('%L::@vector@.halfvec(256)', $2);
BEGIN
  IF narrow <> 'true' THEN
    scope := scope || ' AND EXISTS (SELECT FROM fleet.chunks c WHERE c.index_id = v.index_id'
      ' AND c.id = v.id AND ' || narrow || ')';
  END IF;
  IF $6 THEN
    RETURN QUERY EXECUTE format('SELECT v.index_id, v.id, 1 - d FROM (SELECT v.index_id, v.id,'
      ' v.vector OPERATOR(@vector@.<=>) %s AS d FROM fleet.vectors v WHERE %s) v'
      ' ORDER BY d, 1, 2 LIMIT %s', wanted, scope, least($5, 1000));
    RETURN;
  END IF;
  PERFORM set_config('hnsw.ef_search', '800', true);
  PERFORM set_config('hnsw.iterative_scan', 'relaxed_order', true);
  RETURN QUERY EXECUTE format('WITH f AS MATERIALIZED (SELECT v.index_id, v.id, v.vector FROM'
    ' fleet.vectors v WHERE %2$s ORDER BY @vector@.binary_quantize(v.vector)::bit(256)'
    ' OPERATOR(@vector@.<~>) @vector@.binary_quantize(%1$s)::bit(256) LIMIT 800)'
    ' SELECT f.index_id, f.id, 1 - (f.vector OPERATOR(@vector@.<=>) %1$s) AS cosine FROM f'
    ' ORDER BY cosine DESC, 1, 2 LIMIT %3$s', wanted, scope, least($5, 800));
END $$;

CREATE FUNCTION fleet.cosines(indexes int[], ids bigint[], vector text)
RETURNS TABLE (index_id int, id bigint, cosine float8)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  SELECT v.index_id, v.id, 1 - (v.vector OPERATOR(@vector@.<=>) $3::@vector@.halfvec(256))
  FROM unnest($1, $2) AS w (index_id, id)
    JOIN fleet.vectors v ON v.index_id = w.index_id AND v.id = w.id
  WHERE w.index_id = ANY ((SELECT fleet.allowed($1))::int[])
$$;

GRANT EXECUTE ON FUNCTION fleet.near(int[], text, timestamptz, text, int, bool),
  fleet.cosines(int[], bigint[], text) TO fleet_operator;
