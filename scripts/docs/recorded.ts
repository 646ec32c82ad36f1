import { globSync, readFileSync } from 'node:fs'
import { join, sep } from 'node:path'
import { agentOfStream, createStream, loadAgent } from '../../src/agents/index.ts'
import { createStamp, type StampedEvent } from '../../src/events/index.ts'
import { createLedger, insertUsageUpdates } from '../../src/ledger/index.ts'

/** One recording with its events, as a session would store them. */
export interface Recorded {
  /** `<agent>/<version>/<name>` */
  name: string
  events: StampedEvent[]
}

/** Fixed, so that the same recordings give the same page. */
const timestamp = 1_767_225_600_000

/** Every recording in a directory, by name. */
export const readRecorded = (directory: string): Promise<Recorded[]> => {
  const files = globSync('*/*/*.ndjson', { cwd: directory })
    .map((file) => file.split(sep).join('/'))
    .filter((file) => !file.endsWith('.stdin.ndjson'))
    .sort()
  return Promise.all(
    files.map(async (file) => ({
      name: file.replace(/\.ndjson$/, ''),
      events: await decode(file, readFileSync(join(directory, file))),
    })),
  )
}

const decode = async (file: string, bytes: Uint8Array): Promise<StampedEvent[]> => {
  const agent = agentOfStream(file.split('/')[0] ?? '')
  if (agent === undefined) throw new Error(`no decoder for ${file}`)
  const stream = createStream(await loadAgent(agent))
  const events = insertUsageUpdates(createLedger(), [...stream.push(bytes), ...stream.end()])
  return events.map(createStamp('s1', () => timestamp))
}
