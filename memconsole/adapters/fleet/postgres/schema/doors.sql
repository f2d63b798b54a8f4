-- What every login of a database may do by itself, and no host or person of a fleet needs: to fill the
-- disk, or to take the lock that says who publishes a home, which pg_locks tells to everybody. Run as who
-- made the database; what is not his to take back stays.
DO $$
DECLARE
  one regprocedure;
BEGIN
  BEGIN
    EXECUTE format('REVOKE TEMPORARY ON DATABASE %I FROM PUBLIC', current_database());
  EXCEPTION WHEN insufficient_privilege THEN NULL;
  END;
  FOR one IN SELECT p.oid FROM pg_catalog.pg_proc p
    WHERE p.pronamespace = 'pg_catalog'::regnamespace
      AND (p.proname IN ('lo_creat', 'lo_create', 'lo_from_bytea', 'lo_put', 'lowrite', 'lo_import')
        OR p.proname ~ '^pg_(try_)?advisory_(xact_)?lock(_shared)?$')
  LOOP
    BEGIN
      EXECUTE format('REVOKE EXECUTE ON FUNCTION %s FROM PUBLIC', one);
    EXCEPTION WHEN insufficient_privilege THEN NULL;
    END;
  END LOOP;
  BEGIN
    GRANT EXECUTE ON FUNCTION pg_catalog.pg_try_advisory_lock(bigint) TO fleet_owner;
  EXCEPTION WHEN insufficient_privilege THEN NULL;
  END;
END $$;
