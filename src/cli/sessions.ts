import { sessionName } from '../api/session-name.ts'
import type { SessionRecord } from '../log/types.ts'
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
  const name = sessionName(record).replaceAll(/\p{Cc}/gu, ' ') // a name must not steer the terminal
  return `${id}  ${minuteOf(updatedAt)}  ${agent.padEnd(7)} ${cut(name).padEnd(nameWidth)} ${cwd}\n`
}

const nameWidth = 40
const cut = (name: string): string =>
  name.length > nameWidth ? `${name.slice(0, nameWidth - 1)}…` : name

/** As the clock on the wall shows it: 2026-01-31 09:05. */
const minuteOf = (time: number): string =>
  new Date(time).toLocaleString('sv-SE', { dateStyle: 'short', timeStyle: 'short' })
