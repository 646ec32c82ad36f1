import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type LocalServer, startLocalServer, waitForRunEnd } from '../../support/local-server.ts'

const fixture = (name: string) =>
  readFileSync(new URL(`../../fixtures/sse/${name}`, import.meta.url), 'utf8')

/** A Python, one that has httpx if possible. */
const pythons = [process.env.PYTHON ?? '', 'python3', '/usr/bin/python3'].filter(
  (program) => program !== '' && spawnSync(program, ['-c', 'import json']).status === 0,
)
const withHttpx = pythons.find((program) => spawnSync(program, ['-c', 'import httpx']).status === 0)
const python = withHttpx ?? pythons[0]
if (python === undefined) console.log('skipped: the Python sample: there is no Python')

/** Many readers cut lines at these characters, also Python’s `splitlines`, which the sample uses. */
const awkward = 'a\u2028b\u2029c\u0085d "\\\n\n é 界 😀 data: {}'

/** The programs that the description of the wire shows, with our address, token and session. */
describe('the samples of the spec run unchanged, with awkward text', () => {
  let server: LocalServer
  let directory: string
  let child: ChildProcess | undefined

  beforeEach(async () => {
    server = await startLocalServer()
    directory = mkdtempSync(join(tmpdir(), 'sluice-sample-'))
  })
  afterEach(async () => {
    child?.kill()
    await server.close()
    server.remove()
    rmSync(directory, { recursive: true, force: true })
  })

  const play = async (program: string, name: string, file: string): Promise<string> => {
    const { id } = await server.createDemoSession()
    const text = fixture(name)
      .replace('http://localhost:3000', server.url)
      .replace('<your bearer token>', server.key)
      .replace('01J7...', id)
    const path = join(directory, file)
    writeFileSync(path, text)
    // The snapshot has the awkward text, and the run that the sample sees has it again.
    await server.client.sessions.prompt(id, `think ${awkward}`)
    await waitForRunEnd(server, id)
    await until(() => server.instance.figures().clients === 0)
    const started = spawn(program, [path], { stdio: ['ignore', 'pipe', 'inherit'] })
    child = started
    const { promise, resolve } = Promise.withResolvers<string>()
    let said = ''
    started.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      said += chunk
      if (said.includes('\n')) resolve(said)
    })
    started.on('exit', () => resolve(said))
    // A run that is over before the sample listens would not be seen by it.
    await until(() => server.instance.figures().clients > 0)
    await server.client.sessions.prompt(id, `think ${awkward}`)
    return promise
  }

  test('Node', async () => {
    expect(await play(process.execPath, 'sample.js.txt', 'sample.mjs')).toBe('Turn complete\n')
  })

  test.skipIf(python === undefined)('Python', async () => {
    if (withHttpx === undefined) writeFileSync(join(directory, 'httpx.py'), fixture('httpx.py'))
    expect(await play(python ?? '', 'sample.py', 'sample.py')).toBe('Turn complete\n')
  })
})

/** Looks again and again; the test’s own limit ends it. */
const until = async (holds: () => boolean): Promise<void> => {
  while (!holds()) await new Promise((resolve) => setImmediate(resolve))
}
