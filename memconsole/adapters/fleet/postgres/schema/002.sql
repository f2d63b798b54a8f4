-- 2: letters to hosts. The table is also the audit log: no role may change or delete a row of it,
-- and it names hosts and homes in words, so that it outlives them.

CREATE TABLE fleet.commands (
  id uuid PRIMARY KEY,
  host int NOT NULL,
  host_name text NOT NULL,
  home int NOT NULL,
  home_path text NOT NULL,
  verb text NOT NULL CHECK (length(verb) <= 64),
  body jsonb NOT NULL CHECK (pg_column_size(body) <= 16384),
  wire int NOT NULL,
  sent_by name NOT NULL DEFAULT session_user,
  operator_key text NOT NULL CHECK (length(operator_key) <= 128),
  signature text NOT NULL CHECK (length(signature) <= 256),
  sent_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  deadline timestamptz NOT NULL,
  state text NOT NULL DEFAULT 'sent' CHECK (state IN ('sent', 'begun', 'answered', 'expired',
    'cancelled', 'interrupted', 'refused')),
  begun_at timestamptz,
  ended_at timestamptz,
  code int,
  outcome jsonb CHECK (pg_column_size(outcome) <= 1048576)
);
CREATE INDEX commands_open ON fleet.commands (host, sent_at) WHERE state IN ('sent', 'begun');

CREATE FUNCTION fleet.send(
  id uuid, home int, verb text, body jsonb, wire int, operator_key text, signature text,
  deadline timestamptz
) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
  there fleet.homes;
  owner fleet.hosts;
BEGIN
  SELECT h.* INTO there FROM fleet.homes h WHERE h.id = $2;
  SELECT h.* INTO owner FROM fleet.hosts h WHERE h.id = there.host AND h.left_at IS NULL;
  IF owner.id IS NULL OR NOT (owner.id = ANY (fleet.hosts_for($3))) THEN
    RAISE insufficient_privilege USING MESSAGE = format('you were not granted %s there', $3);
  END IF;
  IF $8 NOT BETWEEN clock_timestamp() AND clock_timestamp() + interval '1 day' THEN
    RAISE invalid_parameter_value USING MESSAGE = 'a command waits for a day at most';
  END IF;
  INSERT INTO fleet.commands (id, host, host_name, home, home_path, verb, body, wire,
      operator_key, signature, deadline)
    VALUES ($1, owner.id, owner.name, $2, there.path, $3, $4, $5, $6, $7, $8);
  PERFORM pg_notify('fleet_commands', 'host ' || owner.id);
END $$;

CREATE FUNCTION fleet.expire() RETURNS int
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  gone int;
BEGIN
  UPDATE fleet.commands SET state = 'expired', ended_at = clock_timestamp()
    WHERE state = 'sent' AND deadline < clock_timestamp();
  GET DIAGNOSTICS gone = ROW_COUNT;
  RETURN gone;
END $$;

CREATE FUNCTION fleet.cancel(id uuid) RETURNS bool
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
BEGIN
  UPDATE fleet.commands c SET state = 'cancelled', ended_at = clock_timestamp()
    WHERE c.id = $1 AND c.sent_by = session_user AND c.state = 'sent';
  RETURN FOUND;
END $$;

CREATE FUNCTION fleet.begin(id uuid) RETURNS bool
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
BEGIN
  UPDATE fleet.commands c SET state = 'begun', begun_at = clock_timestamp()
    WHERE c.id = $1 AND c.host = fleet.require_host() AND c.state = 'sent'
      AND c.deadline >= clock_timestamp();
  RETURN FOUND;
END $$;

CREATE FUNCTION fleet.finish(id uuid, state text, code int, outcome jsonb) RETURNS bool
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
  is_done bool;
BEGIN
  UPDATE fleet.commands c SET state = $2, code = $3, outcome = $4, ended_at = clock_timestamp()
    WHERE c.id = $1 AND c.host = fleet.require_host()
      AND (c.state, $2) IN (('begun', 'answered'), ('begun', 'interrupted'), ('sent', 'refused'));
  is_done := FOUND;
  PERFORM pg_notify('fleet_commands', 'command ' || $1);
  RETURN is_done;
END $$;

ALTER TABLE fleet.commands ENABLE ROW LEVEL SECURITY;
CREATE POLICY own ON fleet.commands FOR SELECT TO fleet_host USING (host = (SELECT fleet.me()));
CREATE POLICY granted ON fleet.commands FOR SELECT TO fleet_operator
  USING (sent_by = session_user OR host = ANY ((SELECT fleet.hosts_for('read'))::int[]));
GRANT SELECT ON fleet.commands TO fleet_host, fleet_operator;
GRANT EXECUTE ON FUNCTION fleet.begin(uuid), fleet.finish(uuid, text, int, jsonb) TO fleet_host;
GRANT EXECUTE ON FUNCTION fleet.send(uuid, int, text, jsonb, int, text, text, timestamptz),
  fleet.cancel(uuid) TO fleet_operator;
GRANT EXECUTE ON FUNCTION fleet.expire() TO fleet_operator;
