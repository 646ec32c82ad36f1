import { spawnSync } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { findBubblewrap } from '../../support/bubblewrap.ts'
import { eventually } from '../../support/eventually.ts'
import {
  createServerDirectories,
  type ServerDirectories,
  type ServerProcess,
  startServerProcess,
} from '../../support/server-process.ts'
import { root } from '../../support/sluice.ts'

const bubblewrap = await findBubblewrap()
if (bubblewrap.reason !== undefined)
  console.log(`skipped: helpers in a sandbox: ${bubblewrap.reason}`)
const sandboxes = bubblewrap.reason === undefined ? ['off', 'on'] : ['off']

/** Programs that outlive their parent, in sessions of their own and without an environment. */
const helpersOf = (sleep: string): string[] => [
  // As MCP servers are started: it holds the output of the agent.
  `env -i setsid ${sleep} &`,
  // It holds nothing, and its parent has ended.
  `(env -i setsid sh -c "${sleep} & ${sleep} &" </dev/null >/dev/null 2>&1 &)`,
  `env -i setsid sh -c 'trap "" TERM INT HUP; while :; do ${sleep}; done' &`,
]

const runningOf = (sleep: string): string[] =>
  spawnSync('ps', ['-axo', 'args='], { encoding: 'utf8' })
    .stdout.split('\n')
    .filter((line) => line.includes(sleep))

describe.each(sandboxes)('helpers of an agent, with --sandbox %s', (sandbox) => {
  let directories: ServerDirectories
  let server: ServerProcess
  let sleep: string
  beforeEach(async () => {
    directories = createServerDirectories()
    // A number that tells these processes from those of other tests.
    sleep = `sleep 600.${randomInt(1e9)}`
    server = await start()
  })
  afterEach(async () => {
    if (server.child.exitCode === null) await server.stop('SIGKILL')
    directories.remove()
  })

  const start = (): Promise<ServerProcess> => {
    const agent = join(directories.projects, 'agent')
    const script = join(root, 'test/support/shell-agent.js')
    writeFileSync(agent, `#!/bin/sh\nexec '${process.execPath}' '${script}'\n`, { mode: 0o755 })
    const path = bubblewrap.reason === undefined ? bubblewrap.path : process.env.PATH
    const env = { ...process.env, SLUICE_NODE: agent, PATH: path }
    return startServerProcess(directories, { env, args: ['--sandbox', sandbox] })
  }

  /** Creates a session whose agent starts all helpers. */
  const startHelpers = async (then: string): Promise<string> => {
    const { projects, sessions } = server.client
    const [known] = await projects.list()
    const project = known ?? (await projects.create({ name: 'P', path: directories.projects }))
    const { id } = await sessions.create({ projectId: project.id, agent: 'demo' })
    const script = helpersOf(sleep).join('\n')
    await sessions.prompt(id, JSON.stringify({ script, then }))
    if (then !== 'exit') await eventually(() => expect(runningOf(sleep)).toHaveLength(5))
    return id
  }
  const expectNone = () => eventually(() => expect(runningOf(sleep)).toEqual([]))

  test('end when their agent exits, and with the server, which they do not keep from exiting', async () => {
    const id = await startHelpers('exit')
    await eventually(async () =>
      expect((await server.client.sessions.get(id)).state).not.toBe('running'),
    )
    await expectNone()
    await startHelpers('work')
    expect(await server.stop()).toBe(0)
    expect(runningOf(sleep)).toEqual([])
  })

  // A sandbox makes no difference here, and an agent that obeys nothing takes seven seconds.
  if (sandbox === 'off')
    test('end when an abort has to end the agent', async () => {
      const id = await startHelpers('ignore')
      await server.client.sessions.abort(id)
      await expectNone()
      expect(await server.stop()).toBe(0)
    })

  test('end at the latest when a server that was killed starts again', async () => {
    await startHelpers('work')
    await server.stop('SIGKILL')
    server = await start()
    await expectNone()
    expect(await server.stop()).toBe(0)
  })
})
