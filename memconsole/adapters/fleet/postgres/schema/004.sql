-- 4: what one host or person can leave here at most, and who is too old to publish.

-- Rows of one statement are counted once, with all that the host has.
CREATE FUNCTION fleet.keep_figures_small() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  found bigint;
  bytes bigint;
BEGIN
  SELECT count(*), sum(pg_column_size(f.body)) INTO found, bytes
    FROM fleet.facts f WHERE f.home = ANY ((SELECT fleet.my_homes())::int[]);
  IF found > 50000 OR bytes > 67108864 THEN
    RAISE program_limit_exceeded USING
      MESSAGE = 'a host publishes 50000 rows and 64 MiB of figures at most';
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER small AFTER INSERT OR UPDATE ON fleet.facts
  FOR EACH STATEMENT EXECUTE FUNCTION fleet.keep_figures_small();

CREATE FUNCTION fleet.keep_homes_few() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF (SELECT count(*) FROM fleet.homes h WHERE h.host = NEW.host) > 64 THEN
    RAISE program_limit_exceeded USING MESSAGE = 'a host has 64 homes at most';
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER few AFTER INSERT ON fleet.homes
  FOR EACH ROW EXECUTE FUNCTION fleet.keep_homes_few();

CREATE FUNCTION fleet.keep_hosts_small() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF pg_column_size(NEW.allows) > 8192 THEN
    RAISE program_limit_exceeded USING MESSAGE = 'names of commands take 8 KB at most';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER small BEFORE UPDATE OF allows ON fleet.hosts
  FOR EACH ROW EXECUTE FUNCTION fleet.keep_hosts_small();

CREATE INDEX commands_sent ON fleet.commands (sent_by, sent_at);
CREATE FUNCTION fleet.keep_letters_few() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF (SELECT count(*) FROM fleet.commands c WHERE c.host = NEW.host AND c.sent_by = NEW.sent_by
      AND c.state IN ('sent', 'begun') AND c.deadline > clock_timestamp()) > 100 THEN
    RAISE program_limit_exceeded USING
      MESSAGE = 'a hundred commands of yours wait for that host already';
  END IF;
  IF (SELECT count(*) FROM fleet.commands c WHERE c.sent_by = NEW.sent_by
      AND c.sent_at > clock_timestamp() - interval '1 day') > 20000 THEN
    RAISE program_limit_exceeded USING MESSAGE = 'you sent 20000 commands within a day';
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER few AFTER INSERT ON fleet.commands
  FOR EACH ROW EXECUTE FUNCTION fleet.keep_letters_few();

-- A host that is too old says so and lives; it publishes no more.
CREATE FUNCTION fleet.is_too_old(wire int) RETURNS bool
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  SELECT $1 < m.least_wire FROM fleet.meta m
$$;

CREATE OR REPLACE FUNCTION fleet.next_generation(home int, publisher uuid) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
  mine int := fleet.require_host();
  made bigint;
BEGIN
  IF (SELECT fleet.is_too_old(h.wire) FROM fleet.hosts h WHERE h.id = mine) THEN
    RAISE object_not_in_prerequisite_state USING MESSAGE = 'the fleet wants a newer memconsole';
  END IF;
  UPDATE fleet.homes h SET generation = h.generation + 1
    WHERE h.id = $1 AND h.publisher = $2 AND h.host = mine
    RETURNING h.generation INTO made;
  IF made IS NULL THEN
    RAISE insufficient_privilege USING MESSAGE = 'another process publishes this home';
  END IF;
  PERFORM pg_notify('fleet', $1 || ' ' || made);
  RETURN made;
END $$;

CREATE OR REPLACE FUNCTION fleet.beat(
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
    WHERE h.id = ANY ($6) AND h.host = mine AND h.publisher = $7 AND NOT fleet.is_too_old($2);
  RETURN now;
END $$;

-- Whoever may see a host hears that a command for it was begun, or taken back.
CREATE INDEX commands_at ON fleet.commands (sent_at);
CREATE OR REPLACE FUNCTION fleet.begin(id uuid) RETURNS bool
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
  is_done bool;
BEGIN
  UPDATE fleet.commands c SET state = 'begun', begun_at = clock_timestamp()
    WHERE c.id = $1 AND c.host = fleet.require_host() AND c.state = 'sent'
      AND c.deadline >= clock_timestamp();
  is_done := FOUND;
  IF is_done THEN
    PERFORM pg_notify('fleet_commands', 'command ' || $1);
  END IF;
  RETURN is_done;
END $$;

CREATE OR REPLACE FUNCTION fleet.cancel(id uuid) RETURNS bool
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
  is_done bool;
BEGIN
  UPDATE fleet.commands c SET state = 'cancelled', ended_at = clock_timestamp()
    WHERE c.id = $1 AND c.sent_by = session_user AND c.state = 'sent';
  is_done := FOUND;
  IF is_done THEN
    PERFORM pg_notify('fleet_commands', 'command ' || $1);
  END IF;
  RETURN is_done;
END $$;
