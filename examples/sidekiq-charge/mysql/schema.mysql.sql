-- The idempotency record: one row for each business operation. The primary key
-- is what enforces the guard. No other index: one that mentions state or
-- completed_at would be rewritten with every update. Times are in UTC.
-- job_type and operation_key are bytes, since every collation that both MySQL and
-- MariaDB know takes some different keys for one, if only for a trailing space.
-- They are one byte wider than what the CHECK takes, so that a server that is not
-- strict cannot cut a key into another one. The mysql client shows them as hex
-- unless it is started with --skip-binary-as-hex.
CREATE TABLE idempotency_records (
  job_type           VARBINARY(65)  NOT NULL CHECK (LENGTH(job_type) BETWEEN 1 AND 64),
  operation_key      VARBINARY(256) NOT NULL CHECK (LENGTH(operation_key) BETWEEN 1 AND 255),
  state              VARCHAR(16)    CHARACTER SET ascii COLLATE ascii_bin NOT NULL CHECK (state IN ('claimed', 'completed', 'held')),
  claim_token        CHAR(32)       CHARACTER SET ascii COLLATE ascii_bin NOT NULL CHECK (LENGTH(claim_token) = 32),
  claimed_at         DATETIME(6)    NOT NULL,
  lease_ms           BIGINT         NOT NULL CHECK (lease_ms >= 0),
  claimed_by         VARCHAR(255)   CHARACTER SET utf8mb4 COLLATE utf8mb4_bin,
  first_claimed_at   DATETIME(6)    NOT NULL,
  policy             VARCHAR(32)    CHARACTER SET ascii COLLATE ascii_bin,
  acts               INTEGER        NOT NULL DEFAULT 1 CHECK (acts >= 0),
  given_up           BOOLEAN        NOT NULL DEFAULT FALSE CHECK (given_up IN (0, 1)),
  vanished           INTEGER        NOT NULL DEFAULT 0,
  lookups            INTEGER        NOT NULL DEFAULT 0,
  requeues           INTEGER        NOT NULL DEFAULT 0,
  requeued_at        DATETIME(6),
  fingerprint        VARBINARY(33)  CHECK (LENGTH(fingerprint) = 32),
  fingerprint_fields TEXT           CHARACTER SET utf8mb4 COLLATE utf8mb4_bin,
  reference          VARCHAR(255)   CHARACTER SET utf8mb4 COLLATE utf8mb4_bin,
  message            MEDIUMBLOB,
  result             MEDIUMBLOB,
  completed_at       DATETIME(6),
  completion         VARCHAR(16)    CHARACTER SET ascii COLLATE ascii_bin CHECK (completion IN ('acted', 'found', 'assumed', 'resolved', 'backfilled')),
  held_at            DATETIME(6),
  hold_reason        VARCHAR(32)    CHARACTER SET ascii COLLATE ascii_bin,
  resolved_by        VARCHAR(255)   CHARACTER SET utf8mb4 COLLATE utf8mb4_bin,
  resolution         TEXT           CHARACTER SET utf8mb4 COLLATE utf8mb4_bin,
  late_finish_at     DATETIME(6),
  repeats            BIGINT         NOT NULL DEFAULT 0,
  last_repeat_at     DATETIME(6),
  PRIMARY KEY (job_type, operation_key),
  CHECK ((state = 'completed') = (completed_at IS NOT NULL)),
  CHECK ((completed_at IS NULL) = (completion IS NULL)),
  CHECK (state <> 'held' OR (held_at IS NOT NULL AND hold_reason IS NOT NULL)),
  CHECK ((fingerprint IS NULL) = (fingerprint_fields IS NULL))
) ENGINE = InnoDB ROW_FORMAT = DYNAMIC;
