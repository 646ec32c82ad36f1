import { sessionName } from '../api/session-name.ts'
import type { SessionRecord } from '../log/session-record.ts'
import { listSessions } from './data.ts'
import { exitCodes } from './exit.ts'
import type { Terminal } from './terminal.ts'

/** `sluice sessions`: what is kept, newest first. */
export const sessions = async (
  options: { data: string; json: boolean },
  terminal: Terminal,
): Promise<number> => {
  const records = await listSessions(options.data)
  if (records.length === 0 && !options.json)
    terminal.write('No sessions yet: `sluice chat` begins one.\n')
  for (const record of records)
    terminal.write(options.json ? `${JSON.stringify(record)}\n` : lineOf(record))
  await terminal.flush()
  return exitCodes.done
}

const lineOf = (record: SessionRecord): string => {
  const { id, agent, cwd, updatedAt } = record
  const when = new Date(updatedAt).toISOString().slice(0, 16).replace('T', ' ')
  const shown = sessionName(record).replaceAll(/\p{Cc}/gu, ' ') // a name must not steer the terminal
  return `${id}  ${when}  ${agent.padEnd(7)} ${shown.padEnd(40)} ${cwd}\n`
}
