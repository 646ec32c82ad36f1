import { spawnSync } from 'node:child_process'
import { createReadStream } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { run } from '../../support/sluice.ts'
import { requireThat } from '../fault.ts'
import type { DiskFile, Step, Trace } from './trace.ts'

/** Why system calls cannot be traced here; undefined when they can. */
export const straceProblem = (): string | undefined => {
  const { status, error } = spawnSync('strace', ['-o', '/dev/null', 'true'])
  if (error) return 'strace is not installed'
  return status === 0 ? undefined : 'strace may not trace processes here'
}

const calls = 'pwrite64,write,ftruncate,fsync,fdatasync'

/** Runs a writer below strace, and returns what it has written, by its system calls. */
export const recordCalls = async (
  directory: string,
  writerArguments: readonly string[],
): Promise<Trace> => {
  const output = join(directory, 'calls')
  const writer = new URL('plain-writer.ts', import.meta.url).pathname
  const strace = ['-f', '-y', '-xx', '-s', '1000000', '-e', `trace=${calls}`, '-o', output]
  const args = [...strace, process.execPath, writer, ...writerArguments]
  const { code, stderr } = await run('strace', args)
  requireThat(code === 0, `the writer failed: ${stderr}`)
  return readCalls(output)
}

const empty = () => new Uint8Array(0)

const readCalls = async (file: string): Promise<Trace> => {
  const steps: Step[] = []
  let begin = 0
  let flushes = 0
  /** Calls that another thread has interrupted, by thread. */
  const unfinished = new Map<string, string>()
  const flushIds = new Map<string, number>()

  const startFlush = (thread: string, which: DiskFile): void => {
    flushes += 1
    flushIds.set(thread, flushes)
    steps.push({ kind: 'flushBegin', file: which, id: flushes })
  }
  const finish = (thread: string, call: string): void => {
    const { name, which, text, numbers } = parseCall(call)
    if (which && (name === 'fsync' || name === 'fdatasync')) {
      const id = flushIds.get(thread) ?? 0
      steps.push({ kind: 'flushEnd', file: which, id })
    } else if (which && name === 'ftruncate')
      steps.push({ kind: 'resize', file: which, size: numbers[0] ?? 0 })
    else if (which && name === 'pwrite64')
      steps.push({ kind: 'write', file: which, offset: numbers[1] ?? 0, bytes: text })
    else if (name === 'write' && call.startsWith('write(1<'))
      for (const line of text.toString('latin1').split('\n')) {
        if (line === 'begin') begin = steps.length
        const [, number] = /^confirmed (\d+)$/.exec(line) ?? []
        if (number !== undefined) steps.push({ kind: 'confirmed', number: Number(number) })
      }
  }
  const start = (thread: string, call: string): void => {
    const { name, which } = parseCall(call)
    if (which && (name === 'fsync' || name === 'fdatasync')) startFlush(thread, which)
  }

  for await (const line of createInterface(createReadStream(file, 'latin1'))) {
    const [, thread = '', rest = ''] = /^(\d+) +(.*)$/.exec(line) ?? []
    if (rest.endsWith('<unfinished ...>')) {
      start(thread, rest)
      unfinished.set(thread, rest)
    } else if (rest.startsWith('<...')) {
      const begun = unfinished.get(thread)
      if (begun !== undefined && rest.includes(' = ')) finish(thread, begun)
    } else if (rest.includes(') = ')) {
      start(thread, rest)
      finish(thread, rest)
    }
  }
  return { start: { database: empty(), wal: empty() }, steps, begin }
}

/** `pwrite64(18<\x2f…>, "\x37\x7f", 4096, 32) = 4096`: its name, file, bytes and last numbers. */
const parseCall = (call: string) => {
  const [, name = '', hexPath = '', rest = ''] = /^(\w+)\(\d+<([^>]*)>(.*)$/.exec(call) ?? []
  const path = bytesOf(hexPath).toString()
  const which: DiskFile | undefined = path.endsWith('/sluice.db')
    ? 'database'
    : path.endsWith('/sluice.db-wal')
      ? 'wal'
      : undefined
  const end = rest.lastIndexOf('"')
  const text = bytesOf(end < 0 ? '' : rest.slice(rest.indexOf('"') + 1, end))
  const numbers = [...rest.slice(end + 1).matchAll(/, (\d+)/g)].map(([, text]) => Number(text))
  return { name, which, text, numbers }
}

/** The bytes that strace prints as `\x2f\x74`. */
const bytesOf = (printed: string): Buffer => Buffer.from(printed.replaceAll('\\x', ''), 'hex')
