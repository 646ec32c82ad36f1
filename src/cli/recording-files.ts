import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { agentEvent } from '../events/event.ts'
import type { StampedEvent } from '../events/types.ts'
import { makeDirectory } from '../files/make-directory.ts'
import { createEventRedactor, type EventRedactor } from '../redact/redact-events.ts'
import { Fault } from '../shared/fault.ts'
import { fieldsOf } from '../shared/fields.ts'
import { oneLineJson } from '../shared/one-line-json.ts'
import { reasonOf } from '../shared/reason.ts'

/** The files of one recording, in the layout that `sluice corpus` reads. */
export interface RecordingFiles {
  /** The path of each file. */
  readonly paths: RecordingPaths
  /** Resolves when something could not be written, such as on a full disk. */
  readonly failed: Promise<Fault>
  input(text: string): void
  output(chunk: Uint8Array): void
  errors(chunk: Uint8Array): void
  event(event: StampedEvent): void
  /** Writes how the recording was made, and redacts all files if that is wanted. */
  finish(about: RecordingInfo, options: { redact: boolean; home: string }): void
}

export interface RecordingPaths {
  output: string
  input: string
  errors: string
  events: string
  about: string
}

/** How a recording was made. */
export interface RecordingInfo {
  argv: readonly string[]
  exitCode: number | null
  signal: string | null
  what: string | null
  agent: string
  version: string
  sluice: string
  platform: string
  recordedAt: string
  redacted: boolean
}

/** Creates the files. They can hold secrets, so only their owner can read them. */
export const createRecordingFiles = (directory: string, name: string): RecordingFiles => {
  const path = (ending: string) => join(directory, `${name}${ending}`)
  const paths: RecordingPaths = {
    output: path('.ndjson'),
    input: path('.stdin.ndjson'),
    errors: path('.stderr.txt'),
    events: path('.events.jsonl'),
    about: path('.json'),
  }
  const taken = Object.values(paths).find((each) => existsSync(each))
  if (taken !== undefined)
    throw new Fault('usage', `${taken} exists. Choose another name with --name.`)
  orFault(directory, () => {
    makeDirectory(directory)
    for (const each of Object.values(paths)) writeFileSync(each, '', { mode: 0o600, flag: 'wx' })
  })
  const failed = Promise.withResolvers<Fault>()
  /** Runs inside the agent’s output, where nothing may be thrown. */
  const append = (path: string, content: string | Uint8Array): void => {
    try {
      appendFileSync(path, content)
    } catch (cause) {
      failed.resolve(notWritten(path, cause))
    }
  }

  return {
    paths,
    failed: failed.promise,
    input: (text) => append(paths.input, text),
    output: (chunk) => append(paths.output, chunk),
    errors: (chunk) => append(paths.errors, chunk),
    event: (event) => append(paths.events, lineOf(event)),
    finish(about, { redact, home }) {
      const redactor = createEventRedactor({ home })
      const shown = redact ? redactor.value(about) : about
      orFault(directory, () => {
        if (redact) redactFiles(paths, redactor)
        writeFileSync(paths.about, `${JSON.stringify(shown, undefined, 2)}\n`)
      })
    },
  }
}

const orFault = (path: string, write: () => void): void => {
  try {
    write()
  } catch (cause) {
    throw notWritten(path, cause)
  }
}

const notWritten = (path: string, cause: unknown): Fault =>
  new Fault('file_not_written', `Cannot write to ${path}: ${reasonOf(cause)}`, { cause })

const lineOf = (value: unknown): string => `${oneLineJson(JSON.stringify(value))}\n`

const redactFiles = (paths: RecordingPaths, redactor: EventRedactor): void => {
  const events = linesIn(paths.events).map((line) => {
    const { sessionId, seq, timestamp, ...event } = fieldsOf(JSON.parse(line))
    return { event: agentEvent.parse(event), envelope: { sessionId, seq, timestamp } }
  })
  for (const { event } of events) redactor.inspect(event)
  const redacted = events.map(({ event, envelope }) => ({ ...redactor.redact(event), ...envelope }))
  writeFileSync(paths.events, redacted.map(lineOf).join(''))
  for (const path of [paths.output, paths.input])
    writeFileSync(
      path,
      linesIn(path)
        .map((line) => redactLine(line, redactor))
        .join(''),
    )
  writeFileSync(paths.errors, redactor.text(readFileSync(paths.errors, 'utf8')))
}

const linesIn = (path: string): string[] => {
  const lines = readFileSync(path, 'utf8').split('\n')
  return lines.at(-1) === '' ? lines.slice(0, -1) : lines
}

const redactLine = (line: string, redactor: EventRedactor): string => {
  try {
    return `${JSON.stringify(redactor.value(JSON.parse(line)))}\n`
  } catch {
    return `${redactor.text(line)}\n`
  }
}
