-- Of clients only, and not of two that make one table longer at the same time: the server's own
-- workers, and that, are over by themselves in a moment.
SELECT EXISTS (SELECT FROM pg_stat_activity
               WHERE datname = current_database() AND backend_type = 'client backend'
                 AND wait_event_type = 'Lock' AND wait_event <> 'extend');
