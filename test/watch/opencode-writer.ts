// Writes the rows of a database of OpenCode into another one, a few at a time, as OpenCode does: in WAL
// mode, with checkpoints in between. It stands for a second process.
import { existsSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as delay } from 'node:timers/promises'

const [from = '', to = ''] = process.argv.slice(2)
const isNew = !existsSync(to)
const database = new DatabaseSync(to)
database.exec(`PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 5; PRAGMA foreign_keys = OFF;
  ATTACH '${from}' AS sample`)
if (isNew) {
  const schema = database.prepare(
    `SELECT sql FROM sample.sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%'
      ORDER BY type = 'table' DESC`,
  )
  for (const { sql } of schema.all()) database.exec(String(sql))
}
const copy = (table: string) =>
  database.exec(`INSERT OR IGNORE INTO ${table} SELECT * FROM sample.${table}`)
for (const table of ['project', 'session']) copy(table)
// The sample is old. A session in which an agent works has just been updated.
database.prepare('UPDATE session SET time_updated = ?').run(Date.now())
const events = database.prepare('SELECT id FROM sample.event ORDER BY rowid').all()
// OpenCode writes a message with its events.
const messageOf = database.prepare(`INSERT OR IGNORE INTO message SELECT * FROM sample.message
  WHERE id = (SELECT coalesce(data ->> '$.info.id', data ->> '$.part.messageID')
    FROM sample.event WHERE id = ?)`)
for (const [index, { id }] of events.entries()) {
  messageOf.run(String(id))
  database
    .prepare('INSERT OR IGNORE INTO event SELECT * FROM sample.event WHERE id = ?')
    .run(String(id))
  if (index % 10 === 0) await delay(5)
  if (index % 70 === 0) database.exec('PRAGMA wal_checkpoint(TRUNCATE)')
}
for (const table of ['message', 'part']) copy(table)
database.close()
