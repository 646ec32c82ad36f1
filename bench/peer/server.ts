import { chmodSync, writeFileSync } from 'node:fs'
import { agentArguments, type Job } from './job.ts'
import type { PeerPrograms } from './programs.ts'

/** A server that has started its agent, or starts it with `begin`. */
export interface PeerServer {
  pid: number
  port: number
  /** The path of its stream. */
  path: string
  /** How many events come before the agent’s first line. */
  before: number
  /** Makes the agent print its lines. */
  begin(): Promise<void>
  stop(): void
}

/** What a server needs to start. */
export interface PeerSetup {
  /** An empty directory of its own. */
  directory: string
  programs: PeerPrograms
  job: Job
  signal: AbortSignal
}

/** Writes a script that runs the agent, whatever its own arguments are. */
export const writeAgent = (file: string, protocol: 'pi' | 'acp', { programs, job }: PeerSetup) => {
  const command = [programs.agent, protocol, ...agentArguments(job)]
  writeFileSync(file, `#!/bin/sh\nexec ${command.map((argument) => `'${argument}'`).join(' ')}\n`)
  chmodSync(file, 0o755)
}

/** Stops a server when its setup fails. */
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

/** Posts JSON and returns the response body. Throws when the request fails. */
export const post = async (url: string, body: object): Promise<unknown> => {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(10_000),
  })
  const text = await response.text()
  if (!response.ok) throw new Error(`${url} responded with ${response.status}: ${text}`)
  return text === '' ? undefined : JSON.parse(text)
}
