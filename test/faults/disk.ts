import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { ApiError } from '../../src/client/api-error.ts'
import { root } from '../support/sluice.ts'
import { compareWithLog } from './compare.ts'
import { readConnection } from './connection.ts'
import { type Fault, requireThat, type Trial } from './fault.ts'
import { createFaultServer, type FaultServer, promptWhenIdle, until } from './server.ts'
import { createFrameChecker, createWitness, type Witness } from './witness.ts'

type DiskMode = 'ok' | 'low' | 'full' | 'eio'

/** A server on a disk that fails on command, with one session and its reader. */
interface DiskServer extends FaultServer {
  setDisk(mode: DiskMode): void
  readonly sessionId: string
  readonly witness: Witness
  /** How many events the reader has seen. */
  seen(): number
  /** Stops the reader. */
  stopReading(): Promise<void>
}

const openDiskServer = async (trial: Trial): Promise<DiskServer> => {
  const env: NodeJS.ProcessEnv = { SLUICE_DEMO_PACE: '5' }
  const server = createFaultServer(trial, 'streaming-agent.js', { env })
  const directory = join(server.directories.projects, '..')
  const [control, main] = [join(directory, 'disk'), join(directory, 'main.mjs')]
  const setDisk = (mode: DiskMode) => writeFileSync(control, mode)
  setDisk('ok')
  env.FAULTY_DISK = control
  writeFileSync(
    main,
    `import '${join(root, 'test/faults/faulty-disk.js')}'\nawait import('${join(root, 'src/cli/main.js')}')\n`,
  )
  const start = () => server.start({ main })
  const { client } = await start()
  const project = await client.projects.create({ name: 'P', path: server.directories.projects })
  const { id } = await client.sessions.create({ projectId: project.id, agent: 'demo' })
  const witness = createWitness()
  const checker = createFrameChecker(witness, 'one')
  const over = new AbortController()
  const read = async (): Promise<void> => {
    while (!over.signal.aborted) {
      const lastEventId = checker.cursor()
      checker.begin(lastEventId !== undefined)
      await readConnection({
        ...server.address(),
        path: `/api/v1/sessions/${id}/stream`,
        lastEventId,
        signal: over.signal,
        onFrame: checker.read,
      })
      await pause(10)
    }
  }
  const reading = read()
  trial.defer(() => over.abort())
  return {
    ...server,
    start,
    setDisk,
    sessionId: id,
    witness,
    seen: () => checker.count(),
    async stopReading() {
      over.abort()
      await reading
    },
  }
}

/** Starts a run, and waits until its events arrive. */
const startRun = async (server: DiskServer): Promise<void> => {
  await promptWhenIdle(server.current(), server.sessionId, 'long')
  const before = server.seen()
  await until('events arrive', () => server.seen() > before + 10)
}

const statusOf = async (server: DiskServer): Promise<string> => {
  const { status, reasons } = await server.current().client.health()
  return [status, ...reasons.map(({ code }) => code)].join(' ')
}

/** The code with which a prompt is refused; undefined when it is accepted. */
const refusalOf = async (server: DiskServer): Promise<string | undefined> => {
  try {
    await server.current().client.sessions.prompt(server.sessionId, 'think')
    return undefined
  } catch (cause) {
    if (cause instanceof ApiError) return `${cause.status} ${cause.code}`
    throw cause
  }
}

/** The disk has no space for a while: work is refused with the reason, and goes on by itself. */
const fillDisk = async (trial: Trial, server: DiskServer, mode: 'low' | 'full'): Promise<void> => {
  await startRun(server)
  await pause(trial.random.below(200))
  server.setDisk(mode)
  const isDegraded = async () => (await statusOf(server)) === 'degraded disk_full'
  await until(`health reports a disk that is ${mode}`, isDegraded)
  const refusal = await refusalOf(server)
  requireThat(refusal === '507 disk_full', `a prompt on a full disk got ${refusal}`)
  server.setDisk('ok')
  await until('the server works again', async () => (await statusOf(server)) === 'ok')
  await promptWhenIdle(server.current(), server.sessionId, 'think')
  trial.count(mode === 'low' ? 'almost full disks' : 'full disks')
}

/** A flush fails: the server exits with an error, and the next one has everything that was seen. */
const failFlush = async (trial: Trial, server: DiskServer): Promise<void> => {
  await startRun(server)
  await pause(trial.random.below(200))
  const { exited } = server.current()
  server.setDisk('eio')
  const code = await Promise.race([exited, pause(60_000, 'late')])
  requireThat(code !== 'late', 'the server still runs a minute after a failed flush')
  requireThat(code !== 0, 'the server exited with 0 after a failed flush')
  server.setDisk('ok')
  await server.start()
  requireThat((await statusOf(server)) === 'ok', 'the server is not healthy after the restart')
  const { state } = await server.current().client.sessions.get(server.sessionId)
  requireThat(state !== 'running', 'the run of the failed server is open')
  await promptWhenIdle(server.current(), server.sessionId, 'think')
  trial.count('failed flushes')
}

const finish = async (trial: Trial, server: DiskServer): Promise<void> => {
  const isIdle = async () =>
    (await server.current().client.sessions.get(server.sessionId)).state !== 'running'
  await until('the last run ends', isIdle)
  await server.stopReading()
  requireThat((await server.stop('SIGTERM')) === 0, 'the server did not exit with 0')
  await compareWithLog(server.directories.data, [{ id: server.sessionId }], server.witness, trial)
}

/** A disk that becomes full, and a disk whose flushes fail. */
export const disk: Fault = {
  name: 'disk',
  title: 'full disks and failed flushes',
  async run(trial) {
    const server = await openDiskServer(trial)
    while (trial.goesOn()) {
      await fillDisk(trial, server, 'low')
      await fillDisk(trial, server, 'full')
      await failFlush(trial, server)
    }
    await finish(trial, server)
  },
}
