import { once } from 'node:events'
import { networkInterfaces } from 'node:os'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openSandbox, type Sandbox } from '../../src/process/sandbox.ts'
import { startProcess } from '../../src/process/spawn.ts'
import { findBubblewrap } from '../support/bubblewrap.ts'
import { type LocalServer, startLocalServer } from '../support/local-server.ts'

const bubblewrap = await findBubblewrap()
if (bubblewrap.reason !== undefined) console.log(`skipped: sandboxed callers: ${bubblewrap.reason}`)
const isLinux = process.platform === 'linux'
if (!isLinux) console.log('skipped: requests of agents: callers are only identified on Linux')

describe.skipIf(!isLinux)('a request that comes from an agent', () => {
  let server: LocalServer
  let sandbox: Sandbox | undefined
  beforeAll(async () => {
    server = await startLocalServer()
    if (bubblewrap.reason === undefined)
      sandbox = await openSandbox({ mode: 'on', hidden: [], env: { PATH: bubblewrap.path } })
  })
  afterAll(async () => {
    await server.close()
    server.remove()
  })

  /** A shell command that sends requests with a valid token, and prints `status code` for each. */
  const request = (...urls: string[]): string => {
    const script = `
      const headers = { authorization: 'Bearer ${server.key}', host: '${new URL(server.url).host}' }
      for (const url of ${JSON.stringify(urls)}) {
        const response = await fetch(url, { headers })
        const body = await response.text()
        console.log(response.status, /"code":"(\\w+)"/.exec(body)?.[1] ?? '')
      }`
    return `'${process.execPath}' --input-type=module -e "${script.replaceAll('"', '\\"')}"`
  }

  /** Runs a command that has no parent any more, and prints what it printed. */
  const leaving = (command: string): string =>
    `f=$(mktemp); (${command} > $f &); until [ -s $f ]; do sleep 0.05; done; cat $f; rm $f`

  /** What a shell script prints that runs as an agent. */
  const runAsAgent = async (script: string, inside?: Sandbox): Promise<string> => {
    let text = ''
    const agent = await startProcess({
      program: 'bash',
      args: ['-c', script],
      cwd: '/',
      sandbox: inside,
      onChunk(chunk) {
        text += Buffer.from(chunk).toString('utf8')
      },
    })
    await agent.done
    return text
  }

  test('is refused on every path except health, with a valid token too', async () => {
    const paths = ['/api/v1/approvals', '/', '/api/v1/nowhere', '/api/v1/health']
    const text = await runAsAgent(request(...paths.map((path) => server.url + path)))
    expect(text).toBe('403 from_agent\n403 from_agent\n403 from_agent\n200 \n')
  })

  test('is refused from a process far below the agent', async () => {
    const deep = `bash -c '${request(`${server.url}/api/v1/agents`).replaceAll("'", `'\\''`)} ; true'; true`
    expect(await runAsAgent(deep)).toBe('403 from_agent\n')
  })

  test('is refused from a process that left its parent', async () => {
    const orphan = leaving(`setsid ${request(`${server.url}/api/v1/agents`)}`)
    expect(await runAsAgent(orphan)).toBe('403 from_agent\n')
  })

  test.skipIf(bubblewrap.reason !== undefined)('is refused from inside a sandbox', async () => {
    const hidden = leaving(`env -i setsid ${request(`${server.url}/api/v1/agents`)}`)
    expect(await runAsAgent(hidden, sandbox)).toBe('403 from_agent\n')
  })

  test('is served for everybody else, while an agent runs', async () => {
    const agent = await startProcess({
      program: 'sleep',
      args: ['600'],
      cwd: '/',
      onChunk() {},
    })
    // A connection of its own: `fetch` may use one from before the agent started.
    const responses = await Promise.all(
      [1, 2, 3].map(() => server.api('/agents', { headers: { connection: 'close' } })),
    )
    expect(responses.map(({ status }) => status)).toEqual([200, 200, 200])
    agent.kill()
    await agent.done
  })
})

test.skipIf(!isLinux)('another address of the machine leads to the same refusal', async () => {
  const own = Object.values(networkInterfaces())
    .flat()
    .find((each) => each?.family === 'IPv4' && !each.internal)?.address
  if (own === undefined) return console.log('skipped: this machine has one address only')
  const { isFromAgent } = await import('../../src/process/agent-connections.ts')
  const { createServer } = await import('node:net')
  const { promise, resolve } = Promise.withResolvers<boolean>()
  const listener = createServer((socket) => {
    void isFromAgent(socket).then((found) => {
      resolve(found)
      socket.destroy()
    })
  }).listen(0, own)
  await once(listener, 'listening')
  const address = listener.address()
  const port = typeof address === 'object' ? address?.port : 0
  const agent = await startProcess({
    program: 'bash',
    args: ['-c', `exec 3<>/dev/tcp/${own}/${port}; read -r line <&3`],
    cwd: '/',
    onChunk() {},
  })
  expect(await promise).toBe(true)
  await agent.done
  listener.close()
})
