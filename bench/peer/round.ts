import { mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { cpuMs } from '../cpu-time.ts'
import type { BenchOptions } from '../part.ts'
import { type Figures, startProgram } from '../sse/round.ts'
import { type Job, pauseMs, type Result } from './job.ts'
import type { PeerPrograms } from './programs.ts'
import type { PeerServer, PeerSetup } from './server.ts'

/** Runs a server with its agent and its clients once, all in new processes. */
export const runPeerRound = async (
  startServer: (setup: PeerSetup) => Promise<PeerServer>,
  job: Job,
  programs: PeerPrograms,
  { directory, signal }: BenchOptions,
): Promise<Result> => {
  const own = mkdtempSync(join(directory, 'peer-'))
  const server = await startServer({ directory: own, programs, job, signal })
  try {
    return await measure(server, job, programs, signal)
  } finally {
    server.stop()
    rmSync(own, { recursive: true, force: true })
  }
}

const measure = async (
  server: PeerServer,
  { clients, warmUp, lines }: Job,
  programs: PeerPrograms,
  signal: AbortSignal,
): Promise<Result> => {
  const warm = server.before + warmUp
  const target = [server.port, server.path, clients, warm + lines, warm].map(String)
  let began: { cpuMs: number; at: number } | undefined
  const load = startProgram([programs.load, ...target], signal, (line) => {
    if (line === 'ready') void begin()
    if (line === `at ${warm}`) began = { cpuMs: cpuMs(server.pid), at: performance.now() }
  })
  let failed: unknown
  const begin = () =>
    server.begin().catch((cause: unknown) => {
      failed = cause
      load.stop()
    })
  try {
    const figures: Figures = JSON.parse(await load.waitFor('done'))
    const used = cpuMs(server.pid)
    const wallMs = performance.now()
    if (!began) throw new Error('The lines before the measurement did not arrive.')
    const { events = 0, wrong = 0, behind = 0, p50 = Number.NaN } = figures
    // When no id is missing, nothing was lost. Otherwise the events that arrived are counted.
    const isComplete = wrong === 0 && behind === 0
    const delivered = isComplete ? lines * clients : events - warmUp * clients
    return {
      delivered,
      lost: lines * clients - delivered,
      cpuMs: used - began.cpuMs,
      wallMs: wallMs - began.at - pauseMs,
      p50,
    }
  } catch (cause) {
    throw failed ?? cause
  } finally {
    load.stop()
  }
}
