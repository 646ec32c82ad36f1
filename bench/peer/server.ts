import { chmodSync, writeFileSync } from 'node:fs'
import { agentArguments, type Job } from './job.ts'
import type { PeerPrograms } from './programs.ts'

/** A server that has started its agent, or will when it is told to begin. */
export interface PeerServer {
  pid: number
  port: number
  /** Where its stream is. */
  path: string
  /** How many events of its own come before the first line. */
  before: number
  /** Lets the agent begin. */
  begin(): Promise<void>
  stop(): void
}

/** Where and with what a server is started. */
export interface PeerSetup {
  /** Its own, and empty. */
  directory: string
  programs: PeerPrograms
  job: Job
  signal: AbortSignal
}

/** A program that is the agent, whatever arguments it is given. */
export const writeAgent = (file: string, tongue: 'pi' | 'acp', { programs, job }: PeerSetup) => {
  const command = [programs.agent, tongue, ...agentArguments(job)]
  writeFileSync(file, `#!/bin/sh\nexec ${command.map((word) => `'${word}'`).join(' ')}\n`)
  chmodSync(file, 0o755)
}

/** Ends a server that could not be made ready. */
export const orStop = async <Ready>(
  { stop }: Pick<PeerServer, 'stop'>,
  ready: () => Promise<Ready>,
): Promise<Ready> => {
  try {
    return await ready()
  } catch (cause) {
    stop()
    throw cause
  }
}

/** Sends JSON; gives what was answered, or throws. */
export const post = async (url: string, body: object): Promise<unknown> => {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(10_000),
  })
  const text = await response.text()
  if (!response.ok) throw new Error(`${url} answered ${response.status}: ${text}`)
  return text === '' ? undefined : JSON.parse(text)
}
