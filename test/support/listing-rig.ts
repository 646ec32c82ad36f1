import { mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { configuredEntry } from '../../src/agents/configured-agent.ts'

export const listingAgent = new URL('./listing-agent.js', import.meta.url).pathname

/** The agent of a test, which lists its conversations in some way. */
export const listingEntry = (way: string) =>
  configuredEntry(
    {
      name: 'lister',
      title: 'Lister',
      command: [process.execPath, listingAgent, ...way.split(' ')],
    },
    'user',
  )

/** A project directory, and what the processes of the agent note in it. */
export const createListingRig = () => {
  const directory = realpathSync(mkdtempSync(join(tmpdir(), 'sluice-conversations-')))
  const linesIn = (name: string): string[] => {
    try {
      return readFileSync(join(directory, name), 'utf8').trim().split('\n')
    } catch {
      return []
    }
  }
  return {
    directory,
    env: {
      ...process.env,
      PID_FILE: join(directory, 'pids'),
      REQUEST_FILE: join(directory, 'requests'),
    },
    /** The processes that were started. */
    pids: () => linesIn('pids'),
    /** Those that are still there. */
    alive: () => linesIn('pids').filter(isAlive),
    /** What they have received. */
    requests: () => linesIn('requests').map((line) => JSON.parse(line)),
    remove: () => rmSync(directory, { recursive: true, force: true }),
  }
}

const isAlive = (pid: string): boolean => {
  try {
    return process.kill(Number(pid), 0)
  } catch {
    return false
  }
}
