import { checksumOf } from '../checksum.ts'
import { LogFault } from '../log-fault.ts'
import { type Database, numberColumn, prepareStatement } from './database.ts'

/**
 * The first entry makes a database of schema 1, the second takes it to schema 2, and so on. Released
 * entries never change, because existing databases have already run them: only add new ones.
 */
export const migrations: readonly string[] = [
  `
  -- A number is never used again: what a crash leaves of a removed session has no new owner.
  CREATE TABLE sessions (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    project TEXT,
    agent TEXT NOT NULL,
    state TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    removed_at INTEGER,
    record TEXT NOT NULL
  ) STRICT;
  CREATE INDEX sessions_by_age ON sessions (created_at, id);

  CREATE TABLE events (
    session INTEGER NOT NULL,
    seq INTEGER NOT NULL,
    text TEXT NOT NULL
  ) STRICT;
  CREATE UNIQUE INDEX events_in_order ON events (session, seq);
  -- Tells a reader where to end a page, so that a page is small in bytes too.
  CREATE INDEX large_events ON events (session, seq) WHERE octet_length(text) > 8192;

  CREATE TABLE blobs (
    hash TEXT PRIMARY KEY,
    mime_type TEXT,
    bytes BLOB NOT NULL
  ) STRICT;
  CREATE TABLE blob_owners (
    hash TEXT NOT NULL,
    session INTEGER NOT NULL,
    PRIMARY KEY (hash, session)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX blobs_by_owner ON blob_owners (session);

  CREATE TABLE approvals (
    id TEXT PRIMARY KEY,
    session INTEGER NOT NULL,
    status TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    record TEXT NOT NULL
  ) STRICT;
  CREATE INDEX approvals_by_session ON approvals (session);
  CREATE INDEX approvals_by_status ON approvals (status);

  CREATE TABLE ledger (
    session INTEGER NOT NULL,
    key TEXT NOT NULL,
    row TEXT NOT NULL
  ) STRICT;
  CREATE UNIQUE INDEX ledger_by_key ON ledger (session, key);

  -- Sessions whose events are still being taken away.
  CREATE TABLE purges (session INTEGER PRIMARY KEY) STRICT;
  `,
  `
  CREATE TABLE snapshots (
    session INTEGER PRIMARY KEY,
    seq INTEGER NOT NULL,
    text TEXT NOT NULL
  ) STRICT;
  CREATE TABLE projects (
    number INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    record TEXT NOT NULL
  ) STRICT;
  CREATE TABLE keys (
    number INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    record TEXT NOT NULL
  ) STRICT;
  `,
  `
  CREATE TABLE browsers (
    number INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    record TEXT NOT NULL
  ) STRICT;
  CREATE TABLE passkeys (
    number INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    record TEXT NOT NULL
  ) STRICT;
  CREATE TABLE settings (
    number INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    record TEXT NOT NULL
  ) STRICT;
  `,
  `
  CREATE TABLE trust (
    number INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    record TEXT NOT NULL
  ) STRICT;
  `,
  `
  CREATE TABLE audit (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    action TEXT NOT NULL,
    actor TEXT NOT NULL,
    actor_id TEXT NOT NULL,
    session TEXT,
    record TEXT NOT NULL
  ) STRICT;
  CREATE INDEX audit_by_session ON audit (session) WHERE session IS NOT NULL;
  -- Whoever has the file can drop these. They stop every program that only runs statements.
  CREATE TRIGGER audit_keeps_rows BEFORE DELETE ON audit
  BEGIN SELECT RAISE(ABORT, 'The audit is append-only.'); END;
  CREATE TRIGGER audit_keeps_values BEFORE UPDATE ON audit
  BEGIN SELECT RAISE(ABORT, 'The audit is append-only.'); END;
  CREATE TRIGGER audit_replaces_nothing BEFORE INSERT ON audit
  WHEN NEW.number IN (SELECT number FROM audit)
  BEGIN SELECT RAISE(ABORT, 'The audit is append-only.'); END;
  `,
  `
  -- A CRC-32 of the text. Absent in rows of older versions: those are only parsed.
  ALTER TABLE events ADD COLUMN checksum INTEGER;
  ALTER TABLE sessions ADD COLUMN checksum INTEGER;
  ALTER TABLE approvals ADD COLUMN checksum INTEGER;
  ALTER TABLE ledger ADD COLUMN checksum INTEGER;
  ALTER TABLE snapshots ADD COLUMN checksum INTEGER;
  ALTER TABLE projects ADD COLUMN checksum INTEGER;
  ALTER TABLE keys ADD COLUMN checksum INTEGER;
  ALTER TABLE browsers ADD COLUMN checksum INTEGER;
  ALTER TABLE passkeys ADD COLUMN checksum INTEGER;
  ALTER TABLE settings ADD COLUMN checksum INTEGER;
  ALTER TABLE trust ADD COLUMN checksum INTEGER;
  ALTER TABLE audit ADD COLUMN checksum INTEGER;

  -- Sessions that cannot be read as a whole, and from which event on.
  CREATE TABLE damage (
    session INTEGER PRIMARY KEY,
    seq INTEGER,
    reason TEXT NOT NULL
  ) STRICT;

  -- Without \`octet_length\`: the sqlite3 of Debian 12 cannot open a schema that uses it.
  DROP INDEX large_events;
  CREATE INDEX large_events ON events (session, seq) WHERE substr(text, 8193, 1) <> '';
  -- Sessions are listed by their number: a clock can go back.
  DROP INDEX sessions_by_age;
  `,
  `
  -- A closed command has no record any more: the row is kept as the receipt of its key.
  CREATE TABLE commands (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    session INTEGER NOT NULL,
    state TEXT NOT NULL,
    seq INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    key TEXT UNIQUE,
    hash TEXT,
    record TEXT,
    checksum INTEGER
  ) STRICT;
  CREATE INDEX commands_by_session ON commands (session);
  CREATE INDEX open_commands ON commands (session) WHERE record IS NOT NULL;
  `,
  `
  -- Blobs whose event may not be stored, because the process died in between.
  CREATE TABLE blob_puts (
    session INTEGER NOT NULL,
    hash TEXT NOT NULL,
    after INTEGER NOT NULL,
    PRIMARY KEY (session, hash)
  ) STRICT, WITHOUT ROWID;
  `,
  `
  -- What decides about access is checked from the first start on.
  UPDATE sessions SET checksum = sluice_checksum(record);
  UPDATE approvals SET checksum = sluice_checksum(record);
  UPDATE ledger SET checksum = sluice_checksum(row);
  UPDATE projects SET checksum = sluice_checksum(record);
  UPDATE keys SET checksum = sluice_checksum(record);
  UPDATE browsers SET checksum = sluice_checksum(record);
  UPDATE passkeys SET checksum = sluice_checksum(record);
  UPDATE settings SET checksum = sluice_checksum(record);
  UPDATE trust SET checksum = sluice_checksum(record);
  `,
  `
  -- What removed sessions have used, by project: empty for those without one.
  CREATE TABLE past_usage (project TEXT PRIMARY KEY, totals TEXT NOT NULL) STRICT;
  `,
  `
  CREATE TABLE loops (
    number INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    record TEXT NOT NULL,
    checksum INTEGER
  ) STRICT;
  `,
  `
  CREATE TABLE budgets (
    number INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    record TEXT NOT NULL,
    checksum INTEGER
  ) STRICT;
  `,
  `
  -- What sessions have used, in steps of 15 minutes since 1970. Rows of deleted sessions stay.
  CREATE TABLE spending (
    session INTEGER NOT NULL,
    model TEXT NOT NULL,
    step INTEGER NOT NULL,
    input REAL NOT NULL,
    output REAL NOT NULL,
    cache_read REAL NOT NULL,
    cache_write REAL NOT NULL,
    reasoning REAL NOT NULL,
    web_searches REAL NOT NULL,
    web_fetches REAL NOT NULL,
    cost REAL NOT NULL,
    calls REAL NOT NULL,
    -- Where the cost comes from: 0 reported, 1 computed, 2 estimated; NULL while it is unknown.
    basis INTEGER,
    -- 1: tokens have no price.
    unpriced INTEGER NOT NULL,
    PRIMARY KEY (session, model, step)
  ) STRICT, WITHOUT ROWID;
  -- It has all columns, so that a report by time reads nothing else.
  CREATE INDEX spending_by_step ON spending (
    step, model, input, output, cache_read, cache_write, reasoning, web_searches, web_fetches,
    cost, calls, basis, unpriced
  );
  CREATE TABLE spending_sessions (
    session INTEGER PRIMARY KEY,
    id TEXT NOT NULL,
    project TEXT NOT NULL,
    agent TEXT NOT NULL
  ) STRICT;
  -- Sessions whose events are not yet added up.
  CREATE TABLE spending_unfilled (session INTEGER PRIMARY KEY) STRICT;
  INSERT INTO spending_unfilled SELECT number FROM sessions;
  `,
]

/** No Sluice has a schema with a higher number. */
const maxVersion = 1000

/** The schema version of a database. Throws `damaged` when there can be no such version. Throws `newer_schema` when this version of Sluice is too old. */
export const schemaVersion = (
  database: Pick<Database, 'prepare'>,
  steps: readonly string[] = migrations,
): number => {
  const version = numberColumn(prepareStatement(database, 'PRAGMA user_version').get())
  if (version >= 0 && version <= steps.length) return version
  if (version < 0 || version > maxVersion)
    throw new LogFault(
      'damaged',
      `The header of the database is damaged (schema ${version}). To save what can be read, run \`sluice check --repair\`.`,
    )
  throw new LogFault(
    'newer_schema',
    `The data was written by a newer Sluice (schema ${version}; this one supports ${steps.length}). Update Sluice to open it.`,
  )
}

/** Updates a database to the newest schema. Throws `newer_schema` and then changes nothing. */
export const migrate = (database: Database, steps: readonly string[] = migrations): void => {
  const version = schemaVersion(database, steps)
  if (version < steps.length)
    database.function('sluice_checksum', { deterministic: true }, (text) =>
      checksumOf(String(text)),
    )
  steps.slice(version).forEach((step, index) => {
    const next = version + index + 1
    try {
      database.exec(`BEGIN IMMEDIATE; ${step}; PRAGMA user_version = ${next}; COMMIT`)
    } catch (cause) {
      database.exec('ROLLBACK')
      throw cause
    }
  })
}
