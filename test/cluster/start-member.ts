import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { expect, onTestFinished } from 'vitest'

/** A node of a cluster, as a process. */
export interface Member {
  /** What it has printed. */
  readonly output: readonly object[]
  /** Runs a command such as `claim a`. Resolves with its result, or with why it failed. */
  send(command: string): Promise<object>
  /** Resolves when it has printed something with these fields. */
  untilPrinted(fields: object, timeout?: number): Promise<void>
  signal(name: NodeJS.Signals): void
}

/** Starts a node. It is killed at the end of the test. */
export const startMember = async (...settings: readonly string[]): Promise<Member> => {
  const program = new URL('member.ts', import.meta.url).pathname
  const child = spawn(process.execPath, ['--no-warnings', program, ...settings], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const exited = once(child, 'exit')
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await exited
  })
  const output: object[] = []
  createInterface(child.stdout).on('line', (line) => void output.push(JSON.parse(line)))
  const untilPrinted = async (fields: object, timeout = 20_000): Promise<void> => {
    await expect.poll(() => output, { timeout }).toContainEqual(expect.objectContaining(fields))
  }
  await untilPrinted({ ready: expect.any(String) })
  return {
    output,
    untilPrinted,
    async send(command) {
      const first = output.length
      child.stdin.write(`${command}\n`)
      const answer = () => output.slice(first).find((each) => 'done' in each)
      await expect.poll(answer, { timeout: 20_000 }).toMatchObject({ done: command })
      return answer() ?? {}
    },
    signal: (name) => void child.kill(name),
  }
}
