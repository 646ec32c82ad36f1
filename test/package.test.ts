import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { recording } from './support/recordings.ts'
import { createServerDirectories, startServerProcess } from './support/server-process.ts'
import { root, run } from './support/sluice.ts'

/** Code blocks of the README, with their first line for a name. */
const examplesOf = (language: string): [name: string, code: string][] => {
  const readme = readFileSync(join(root, 'README.md'), 'utf8')
  const blocks = readme.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, 'gm'))
  return [...blocks].map(([, code = '']) => [code.split('\n')[0] ?? '', code])
}

/** Command lines of the README that need no agent. */
const commandsOf = (language: string): string[] =>
  examplesOf(language)
    .flatMap(([, code]) => code.split('\n'))
    .map((line) => line.replace(/\s+#.*$/, ''))
    .filter((line) => /^sluice (?:agents|decode|corpus|sessions)/.test(line))

/** The package as a stranger gets it: packed, installed in an empty directory, used. */
describe('the packed package', () => {
  let directory = ''

  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), 'sluice-package-'))
    const packed = await run('npm', ['pack', '--silent', '--pack-destination', directory])
    expect(packed, packed.stderr).toMatchObject({ code: 0 })
    const tarball = readdirSync(directory).find((name) => name.endsWith('.tgz')) ?? ''
    writeFileSync(join(directory, 'package.json'), '{ "private": true, "type": "module" }')
    const args = ['install', '--no-audit', '--no-fund', '--prefer-offline', `./${tarball}`]
    const installed = await run('npm', args, { cwd: directory })
    expect(installed, installed.stderr).toMatchObject({ code: 0 })
  }, 300_000)
  afterAll(() => rmSync(directory, { recursive: true, force: true }))

  const use = (code: string) =>
    run(process.execPath, ['--input-type=module', '-e', code], { cwd: directory })

  test('tells its version', async () => {
    const { stdout } = await run(join(directory, 'node_modules/.bin/sluice'), ['--version'], {
      cwd: directory,
    })
    expect(stdout).toMatch(/^\d+\.\d+\.\d+\n$/)
  })

  test('decodes a stream', async () => {
    const input = recording('claude/2.1.325/bash').bytes()
    const program = join(directory, 'node_modules/.bin/sluice')
    const { stdout } = await run(program, ['decode', 'claude', '--out', 'text'], {
      cwd: directory,
      input,
    })
    expect(stdout).toContain('The command printed hello and Linux.')
  })

  test('can be imported: decoders, schemas, handlers, ledger', async () => {
    const { stdout, stderr } = await use(`
      import { createStream, loadAgent } from 'sluice/decode'
      import { agentEvent } from 'sluice/events'
      import { isComplete } from 'sluice/handler'
      import { createLedger } from 'sluice/ledger'
      import { createClient } from 'sluice/client'
      import { session } from 'sluice/api'
      import { createServer } from 'sluice/server'
      import { openSessions } from 'sluice/session'
      import { openSqliteLog } from 'sluice/log'
      import { createLocalBus } from 'sluice/bus'
      import { emptyTranscript } from 'sluice/transcript'
      import { attachPiSession } from 'sluice/pi-sdk'
      console.log([createLocalBus, emptyTranscript, attachPiSession, createClient, session.parse, createServer, openSessions, openSqliteLog].every((each) => typeof each === 'function'))
      const stream = createStream(await loadAgent('pi'))
      const events = stream.push(new TextEncoder().encode('{"type":"agent_start"}\\n'))
      console.log(events.every((event) => agentEvent.safeParse(event).success), events.length)
      console.log(isComplete('DONE', 'DONE'), createLedger().totals().input)
    `)
    expect(stderr).toBe('')
    expect(stdout).toBe('true\ntrue 2\ntrue 0\n')
  })

  /** The installed package’s own server; gives where it is and the token. */
  const startServer = async () => {
    const directories = createServerDirectories()
    const main = join(directory, 'node_modules/sluice/bin/sluice.js')
    const server = await startServerProcess(directories, { main, args: ['--root', directory] })
    onTestFinished(async () => {
      await server.stop()
      directories.remove()
    })
    return server
  }

  test.each(examplesOf('ts'))('the README’s example %# runs', async (_, code) => {
    const server = code.includes('sluice/client') ? await startServer() : undefined
    const env = { ...process.env, SLUICE_TOKEN: server?.token }
    writeFileSync(join(directory, 'run.ndjson'), recording('claude/2.1.325/bash').bytes())
    writeFileSync(
      join(directory, 'example.ts'),
      code.replace('http://127.0.0.1:3000', server?.url ?? ''),
    )
    const {
      code: exit,
      stdout,
      stderr,
    } = await run(process.execPath, ['example.ts'], { cwd: directory, env })
    expect({ exit, stderr }).toEqual({ exit: 0, stderr: '' })
    expect(stdout).not.toBe('')
  })

  test('its server has the web app and speaks', async () => {
    const server = await startServer()
    const page = await fetch(`${server.url}/`)
    expect(await page.text()).toContain('<div id="root">')
    expect(await server.client.agents.list()).toContainEqual(
      expect.objectContaining({ name: 'demo', isInstalled: true }),
    )
  })

  test.each(commandsOf('sh'))('the README’s command runs: %s', async (command) => {
    const path = `${join(directory, 'node_modules/.bin')}:${process.env.PATH}`
    const env = { ...process.env, PATH: path, HOME: directory }
    writeFileSync(join(directory, 'run.ndjson'), recording('claude/2.1.325/bash').bytes())
    cpSync(join(root, 'recordings/pi/0.84.0'), join(directory, 'recordings/pi/0.84.0'), {
      recursive: true,
    })
    const { code, stdout, stderr } = await run('bash', ['-c', command], { cwd: directory, env })
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).not.toBe('')
  })

  test('has types that a strict project accepts', async () => {
    const code = `import { createStream } from 'sluice/decode'
      import type { AgentEvent } from 'sluice/events'
      export const typesOf = (events: AgentEvent[]): string[] => events.map((event) => event.type)
      export { createStream }
    `
    writeFileSync(join(directory, 'use.ts'), code)
    const tsc = join(root, 'node_modules/.bin/tsc')
    const options = [
      '--noEmit',
      '--strict',
      '--module',
      'nodenext',
      '--target',
      'es2024',
      '--types',
      '',
    ]
    const { code: exit, stdout } = await run(process.execPath, [tsc, ...options, 'use.ts'], {
      cwd: directory,
    })
    expect(stdout).toBe('')
    expect(exit).toBe(0)
  })
})

test('an old Node is told in one line, and the exit code is 2', async () => {
  const old = 'data:text/javascript,Object.defineProperty(process.versions,"node",{value:"20.1.0"})'
  const { code, stdout, stderr } = await run(process.execPath, [
    '--import',
    old,
    join(root, 'bin/sluice.js'),
  ])
  expect({ code, stdout, stderr }).toEqual({
    code: 2,
    stdout: '',
    stderr: 'sluice needs Node 22.19 or newer; this is 20.1.0.\n',
  })
})
