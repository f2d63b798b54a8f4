-- Roles belong to the whole server; each fleet on it shares these three. A login is made for each
-- host and each person, by `memconsole fleet invite`.
DO $$
BEGIN
  IF NOT EXISTS (SELECT FROM pg_catalog.pg_roles WHERE rolname = 'fleet_host') THEN
    CREATE ROLE fleet_host NOLOGIN;
  END IF;
  IF NOT EXISTS (SELECT FROM pg_catalog.pg_roles WHERE rolname = 'fleet_operator') THEN
    CREATE ROLE fleet_operator NOLOGIN;
  END IF;
  IF NOT EXISTS (SELECT FROM pg_catalog.pg_roles WHERE rolname = 'fleet_owner') THEN
    CREATE ROLE fleet_owner NOLOGIN CREATEROLE;
  END IF;
END $$;
GRANT fleet_host, fleet_operator TO fleet_owner WITH ADMIN TRUE, INHERIT FALSE, SET FALSE;
GRANT fleet_owner TO CURRENT_USER;
CREATE SCHEMA fleet AUTHORIZATION fleet_owner;
