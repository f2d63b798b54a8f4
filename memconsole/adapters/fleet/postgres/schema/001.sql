-- 1: hosts, their homes and the figures of these. Run as fleet_owner.
--
-- A host sees and writes what is its own, an operator sees what was granted. Functions run as
-- fleet_owner, name every schema, and believe nothing but session_user, which nobody can change.

CREATE TABLE fleet.meta (
  one bool PRIMARY KEY DEFAULT true CHECK (one),
  id uuid NOT NULL DEFAULT gen_random_uuid(),
  schema int NOT NULL,
  least_wire int NOT NULL DEFAULT 1
);
INSERT INTO fleet.meta (schema) VALUES (1);

CREATE TABLE fleet.hosts (
  id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  role name NOT NULL UNIQUE,
  name text NOT NULL UNIQUE CHECK (name ~ '^[a-z0-9][a-z0-9.-]{0,62}$'),
  labels text[] NOT NULL DEFAULT '{}',
  version text CHECK (length(version) <= 64),
  wire int,
  allows text[] NOT NULL DEFAULT '{}' CHECK (cardinality(allows) <= 64),
  beat_s int NOT NULL DEFAULT 30 CHECK (beat_s BETWEEN 1 AND 86400),
  seen_at timestamptz,
  skew_ms bigint,
  invited_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  joined_at timestamptz,
  left_at timestamptz
);

CREATE TABLE fleet.operators (
  role name PRIMARY KEY,
  name text NOT NULL UNIQUE CHECK (name ~ '^[a-z0-9][a-z0-9.-]{0,62}$'),
  joined_at timestamptz
);

CREATE TABLE fleet.homes (
  id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  host int NOT NULL REFERENCES fleet.hosts ON DELETE CASCADE,
  identity uuid NOT NULL UNIQUE,
  path text NOT NULL CHECK (length(path) <= 4096),
  generation bigint NOT NULL DEFAULT 0,
  looked_at timestamptz,
  publisher uuid,
  held_by text CHECK (length(held_by) <= 200)
);
CREATE INDEX homes_host ON fleet.homes (host);

CREATE TABLE fleet.facts (
  home int NOT NULL REFERENCES fleet.homes ON DELETE CASCADE,
  kind text NOT NULL CHECK (kind IN ('agent', 'session', 'run', 'status', 'health')),
  key text NOT NULL CHECK (length(key) <= 1000),
  generation bigint NOT NULL,
  hash bytea NOT NULL CHECK (length(hash) = 16),
  place int NOT NULL,
  body jsonb NOT NULL CHECK (pg_column_size(body) <= 262144),
  PRIMARY KEY (home, kind, key)
);
CREATE INDEX facts_since ON fleet.facts (home, generation);

CREATE TABLE fleet.grants (
  operator name NOT NULL REFERENCES fleet.operators ON DELETE CASCADE,
  label text NOT NULL,
  verb text NOT NULL,
  PRIMARY KEY (operator, label, verb)
);

CREATE TABLE fleet.events (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  at timestamptz NOT NULL DEFAULT clock_timestamp(),
  by name NOT NULL DEFAULT session_user,
  what text NOT NULL,
  details text NOT NULL DEFAULT ''
);

-- ---- who asks ------------------------------------------------------------------------------

CREATE FUNCTION fleet.me() RETURNS int
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  SELECT id FROM fleet.hosts WHERE role = session_user AND left_at IS NULL
$$;

CREATE FUNCTION fleet.my_homes() RETURNS int[]
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  SELECT coalesce(array_agg(id), '{}') FROM fleet.homes WHERE host = fleet.me()
$$;

CREATE FUNCTION fleet.hosts_for(verb text) RETURNS int[]
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  SELECT coalesce(array_agg(h.id), '{}') FROM fleet.hosts h
  WHERE EXISTS (
    SELECT FROM fleet.grants g
    WHERE g.operator = session_user AND g.verb = $1
      AND (g.label = '*' OR g.label = ANY (h.labels))
  )
$$;

CREATE FUNCTION fleet.require_host() RETURNS int
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE mine int := fleet.me();
BEGIN
  IF mine IS NULL THEN
    RAISE insufficient_privilege USING MESSAGE = 'this role is no host of the fleet';
  END IF;
  RETURN mine;
END $$;

-- ---- what a host does ----------------------------------------------------------------------

CREATE FUNCTION fleet.enter(verifier text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF verifier !~ '^SCRAM-SHA-256\$[0-9]+:[A-Za-z0-9+/=]+\$[A-Za-z0-9+/=]+:[A-Za-z0-9+/=]+$' THEN
    RAISE invalid_parameter_value USING MESSAGE = 'that is no verifier of a password';
  END IF;
  UPDATE fleet.hosts SET joined_at = clock_timestamp()
    WHERE role = session_user AND joined_at IS NULL AND left_at IS NULL;
  IF NOT FOUND THEN
    UPDATE fleet.operators SET joined_at = clock_timestamp()
      WHERE role = session_user AND joined_at IS NULL;
    IF NOT FOUND THEN
      RAISE insufficient_privilege USING MESSAGE = 'this role has joined already';
    END IF;
  END IF;
  EXECUTE format('ALTER ROLE %I PASSWORD %L VALID UNTIL ''infinity''', session_user, verifier);
  INSERT INTO fleet.events (what) VALUES ('join');
END $$;

CREATE FUNCTION fleet.claim(identity uuid, path text, publisher uuid, held_by text)
RETURNS TABLE (home int, generation bigint, holder text)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
  mine int := fleet.require_host();
  found_home fleet.homes;
BEGIN
  INSERT INTO fleet.homes (host, identity, path) VALUES (mine, $1, $2)
    ON CONFLICT (identity) DO NOTHING;
  SELECT h.* INTO found_home FROM fleet.homes h WHERE h.identity = $1;
  IF found_home.host <> mine THEN
    RAISE insufficient_privilege USING MESSAGE = 'this home belongs to another host';
  END IF;
  -- Held by the session: it ends with the connection, whatever became of the process.
  IF NOT pg_try_advisory_lock(hashtextextended('fleet ' || $1, 0)) THEN
    RETURN QUERY SELECT found_home.id, found_home.generation, coalesce(found_home.held_by, '?');
    RETURN;
  END IF;
  UPDATE fleet.homes h SET publisher = $3, held_by = $4, path = $2 WHERE h.id = found_home.id;
  RETURN QUERY SELECT found_home.id, found_home.generation, NULL::text;
END $$;

CREATE FUNCTION fleet.next_generation(home int, publisher uuid) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
  made bigint;
BEGIN
  UPDATE fleet.homes h SET generation = h.generation + 1
    WHERE h.id = $1 AND h.publisher = $2 AND h.host = fleet.require_host()
    RETURNING h.generation INTO made;
  IF made IS NULL THEN
    RAISE insufficient_privilege USING MESSAGE = 'another process publishes this home';
  END IF;
  PERFORM pg_notify('fleet', $1 || ' ' || made);
  RETURN made;
END $$;

CREATE FUNCTION fleet.beat(
  version text, wire int, beat_s int, skew_ms bigint, allows text[], homes int[], publisher uuid
) RETURNS timestamptz
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
  mine int := fleet.require_host();
  now timestamptz := clock_timestamp();
BEGIN
  UPDATE fleet.hosts h SET seen_at = now, version = $1, wire = $2, beat_s = $3, skew_ms = $4,
    allows = $5 WHERE h.id = mine;
  UPDATE fleet.homes h SET looked_at = now
    WHERE h.id = ANY ($6) AND h.host = mine AND h.publisher = $7;
  RETURN now;
END $$;

CREATE FUNCTION fleet.leave(erase bool) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  mine int := fleet.require_host();
BEGIN
  IF erase THEN
    DELETE FROM fleet.homes WHERE host = mine;
  END IF;
  UPDATE fleet.hosts SET left_at = clock_timestamp() WHERE id = mine;
  INSERT INTO fleet.events (what, details)
    VALUES ('leave', CASE WHEN erase THEN 'erased' ELSE '' END);
END $$;

-- ---- who may what --------------------------------------------------------------------------

ALTER TABLE fleet.hosts ENABLE ROW LEVEL SECURITY;
ALTER TABLE fleet.homes ENABLE ROW LEVEL SECURITY;
ALTER TABLE fleet.facts ENABLE ROW LEVEL SECURITY;
ALTER TABLE fleet.grants ENABLE ROW LEVEL SECURITY;

CREATE POLICY own ON fleet.hosts FOR SELECT TO fleet_host USING (id = (SELECT fleet.me()));
CREATE POLICY own ON fleet.homes FOR SELECT TO fleet_host USING (host = (SELECT fleet.me()));
CREATE POLICY own ON fleet.facts FOR ALL TO fleet_host
  USING (home = ANY ((SELECT fleet.my_homes())::int[]))
  WITH CHECK (home = ANY ((SELECT fleet.my_homes())::int[]));
CREATE POLICY granted ON fleet.hosts FOR SELECT TO fleet_operator
  USING (id = ANY ((SELECT fleet.hosts_for('read'))::int[]));
CREATE POLICY granted ON fleet.homes FOR SELECT TO fleet_operator
  USING (host = ANY ((SELECT fleet.hosts_for('read'))::int[]));
CREATE POLICY granted ON fleet.facts FOR SELECT TO fleet_operator
  USING (home IN (SELECT id FROM fleet.homes));
CREATE POLICY own ON fleet.grants FOR SELECT TO fleet_operator USING (operator = session_user);

REVOKE ALL ON ALL FUNCTIONS IN SCHEMA fleet FROM PUBLIC;
ALTER DEFAULT PRIVILEGES REVOKE ALL ON FUNCTIONS FROM PUBLIC;
GRANT USAGE ON SCHEMA fleet TO fleet_host, fleet_operator;
GRANT SELECT ON fleet.meta, fleet.hosts, fleet.homes TO fleet_host, fleet_operator;
GRANT SELECT, INSERT, UPDATE, DELETE ON fleet.facts TO fleet_host;
GRANT SELECT ON fleet.facts, fleet.grants TO fleet_operator;
GRANT EXECUTE ON FUNCTION fleet.me(), fleet.my_homes(), fleet.claim(uuid, text, uuid, text),
  fleet.next_generation(int, uuid), fleet.beat(text, int, int, bigint, text[], int[], uuid),
  fleet.leave(bool) TO fleet_host;
GRANT EXECUTE ON FUNCTION fleet.enter(text) TO fleet_host, fleet_operator;
GRANT EXECUTE ON FUNCTION fleet.hosts_for(text) TO fleet_operator;
