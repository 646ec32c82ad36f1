import type { DatabaseSync } from 'node:sqlite'

/**
 * Which of some messages a fork has copied: the id of the original by the id of the copy. A fork gives
 * new ids to the messages and does not say where they come from, but it keeps their time, author and
 * cost. So a message from before its session is a copy, and the same message in the oldest session of
 * the project is the original.
 */
export const copiedMessages = (
  database: DatabaseSync,
  messageIds: readonly string[],
): ReadonlyMap<string, string> => {
  const copies = new Map<string, string>()
  for (const { copy, original } of database
    .prepare(originalsOfCopies)
    .all(JSON.stringify([...new Set(messageIds)])))
    if (typeof copy === 'string' && typeof original === 'string') copies.set(copy, original)
  return copies
}

const originalsOfCopies = `
  WITH copy AS (
    SELECT message.id, message.data, message.time_created AS time, session.project_id AS project,
      session.time_created AS forked
    FROM json_each(?) AS wanted JOIN message ON message.id = wanted.value
    JOIN session ON session.id = message.session_id
    WHERE message.time_created < session.time_created AND json_valid(message.data))
  SELECT copy.id AS copy, (
    SELECT message.id FROM session JOIN message
      ON message.session_id = session.id AND message.time_created = copy.time
    WHERE session.project_id = copy.project AND session.time_created < copy.forked
      AND json_valid(message.data)
      AND message.data ->> '$.role' = copy.data ->> '$.role'
      AND coalesce(message.data ->> '$.cost', 0) = coalesce(copy.data ->> '$.cost', 0)
    ORDER BY session.time_created, message.id LIMIT 1) AS original
  FROM copy`
