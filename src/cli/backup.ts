import { backUpSqlite } from '../log/sqlite/backup.ts'
import { version } from '../process/version.ts'
import { formatSize } from '../shared/format-size.ts'
import { exitCodes } from './exit.ts'
import { refuseNode } from './node-data.ts'
import { exitCodeOfSignal, watchStopSignals } from './signals.ts'
import { printRawError, type Terminal } from './terminal.ts'

export interface BackUpOptions {
  data: string
  file: string
  force: boolean
  json: boolean
}

/** `sluice backup`: copies the log into one file, also while a server runs. */
export const backUp = async (
  { json, ...options }: BackUpOptions,
  terminal: Terminal,
): Promise<number> => {
  refuseNode(options.data)
  const endings = watchStopSignals()
  // What is written so far is deleted when the process exits.
  void endings.first.then((signal) => process.exit(exitCodeOfSignal(signal)))
  const content = await backUpSqlite({
    ...{ ...options, version, now: Date.now() },
    ...(process.stderr.isTTY && { onProgress: printProgress() }),
  }).finally(endings.stop)
  if (json) terminal.writeJson({ file: options.file, ...content })
  else {
    const { sessions, events, blobs, bytes } = content
    terminal.write(
      `Wrote ${options.file} (${formatSize(bytes)}): ${count(sessions, 'session')}, ${count(events, 'event')}, ${count(blobs, 'blob')}. The copy is complete.\n` +
        'It contains prompts and tool output, so keep it private. It contains no keys, only their hashes.\n',
    )
  }
  await terminal.flush()
  return exitCodes.done
}

const count = (number: number, noun: string): string =>
  `${number.toLocaleString('en')} ${number === 1 ? noun : `${noun}s`}`

/** Prints each whole percent, on one line that clears itself. */
const printProgress = (): ((share: number) => void) => {
  let last = -1
  return (share) => {
    const percent = Math.floor(share * 100)
    if (percent === last) return
    last = percent
    printRawError(percent < 100 ? `\rCopying: ${percent} %` : '\r\u001b[K')
  }
}
