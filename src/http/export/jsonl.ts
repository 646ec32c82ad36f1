import type { Log } from '../../log/log.ts'

/** All events of a session, one per line, as they are stored. */
export const exportJsonl = async function* (log: Log, sessionId: string): AsyncGenerator<string> {
  for await (const { texts } of log.readText(sessionId, 0)) yield `${texts.join('\n')}\n`
}
