import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { LogFault } from '../log-fault.ts'
import { createJournal, type Journal } from './journal.ts'
import { openJournalFile } from './journal-file.ts'
import type { JournalLimits } from './journal-writer.ts'
import { type JournalReplayOptions, replayJournal } from './replay-journal.ts'
import { createSetAside } from './set-aside.ts'

export interface OpenJournalOptions {
  tenant: string
  limits?: Partial<JournalLimits> | undefined
  onError(cause: unknown): void
}

export interface OpenedJournal {
  journal: Journal
  /** Stores what the last process has left, and empties the file. */
  replay(log: JournalReplayOptions['log']): Promise<void>
}

const defaultLimits: JournalLimits = { bytes: 64 * 1024 * 1024, events: 200_000 }

/** Opens the journal in a data directory. A tenant has its own: it is never stored in another’s log. */
export const openJournal = async (
  directory: string,
  { tenant, limits, onError }: OpenJournalOptions,
): Promise<OpenedJournal> => {
  const folder = join(directory, 'journal')
  const { file, content, damaged } = await openJournalFile(join(folder, `${tenant}.journal`))
  const setAside = createSetAside(folder)
  if (damaged) {
    const path = join(folder, `damaged-${tenant}-${Date.now()}.journal`)
    writeFileSync(path, damaged, { mode: 0o600, flush: true })
    const reason = `The journal has wrong bytes. What follows them (${damaged.length} bytes) was moved to ${path}.`
    onError(new LogFault('damaged', reason))
  }
  return {
    journal: createJournal({ file, limits: { ...defaultLimits, ...limits }, setAside, onError }),
    async replay(log) {
      await replayJournal(content.writes, { log, setAside, onError })
      await file.clear()
    },
  }
}
