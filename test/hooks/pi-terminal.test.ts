import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { type PiVersion, piSetup } from '../agents/pi.ts'
import type { Block, Script } from '../model/scripts.ts'
import { startModel } from '../model/server.ts'
import { eventually } from '../support/eventually.ts'
import { run, sluice } from '../support/sluice.ts'
import { openTerminalServer } from './terminal-server.ts'
import { openTmuxScreen, whyNoTmux } from './tmux-screen.ts'

const reason = whyNoTmux()
if (reason !== undefined) console.log(`skipped: approvals of Pi in a terminal: ${reason}`)

const bash = (command: string): Block => ({ type: 'tool_use', name: 'bash', input: { command } })
const calls = (...blocks: Block[]): Script => ({
  steps: [
    { kind: 'reply', blocks },
    { kind: 'reply', blocks: [{ type: 'text', deltas: ['It is over.'] }] },
  ],
})
const scripts = {
  touch: calls(bash('touch made.txt')),
  long: calls(bash(`: ${'x'.repeat(3000)}; touch made.txt`)),
  read: calls({ type: 'tool_use', name: 'read', input: { path: 'note.txt' } }),
}

const setUp = async (version: PiVersion) => {
  const model = await startModel(scripts)
  const { argv, env, cwd, remove } = piSetup(version, model.url)
  const home = env.HOME ?? ''
  onTestFinished(async () => {
    await model.close()
    remove()
  })
  const server = await openTerminalServer(env, cwd)
  const [node = '', bin = ''] = argv
  return {
    ...{ ...server, cwd, env },
    extension: join(env.PI_CODING_AGENT_DIR ?? '', 'extensions/sluice.js'),
    made: (name = 'made.txt') => existsSync(join(cwd, name)),
    wasSent: (text: string) => model.requests.some(({ body }) => body.includes(text)),
    print: (prompt: string) =>
      run(node, [bin, '-p', '--model', 'fake/fake-sonnet', prompt], { env, cwd }),
    /** Opens a Pi with its first prompt: a key that is pressed while it starts is lost. */
    async terminal(prompt: string) {
      const command = [node, bin, '--model', 'fake/fake-sonnet', prompt]
      const screen = openTmuxScreen({
        ...{ home, cwd, env: { ...env, TERM: 'xterm-256color' }, command },
      })
      onTestFinished(screen.close)
      await screen.shows('fake-sonnet')
      return screen
    },
  }
}

describe.skipIf(reason !== undefined).each(['0.73', '0.87'] as const)('Pi %s', (version) => {
  test('asks here and in the terminal, and is answered here', async () => {
    const pi = await setUp(version)
    expect((await pi.hooks('install', 'pi', '--yes')).stdout).toContain('Installed the hooks of Pi')
    const { type, shows, text } = await pi.terminal('scenario:touch')
    const first = await pi.pending()
    expect(first).toMatchObject({ toolName: 'bash', args: { command: 'touch made.txt' } })
    expect(first.toolCallId).toBeDefined()
    await shows('Allow bash?')
    expect(await pi.presence()).toMatchObject({ state: 'waiting' })
    expect(pi.made()).toBe(false)
    await pi.answer(first, { action: 'allow', updatedInput: { command: 'touch changed.txt' } })
    await shows('It is over.')
    expect(text()).not.toContain('Allow bash?')
    expect(pi.made('changed.txt')).toBe(true)
    expect(pi.made()).toBe(false)
    await eventually(async () => expect(await pi.presence()).toMatchObject({ state: 'idle' }))

    type('/new')
    await shows(/New session started/)
    type('scenario:touch')
    const second = await pi.pending()
    await pi.answer(second, { action: 'deny', message: 'Not on a Friday.' })
    await eventually(() => expect(pi.wasSent('Not on a Friday.')).toBe(true))
    expect(pi.made()).toBe(false)
  })

  test('is answered in the terminal first', async () => {
    const pi = await setUp(version)
    await pi.hooks('install', 'pi', '--yes')
    const { type, key, shows } = await pi.terminal('scenario:touch')
    const first = await pi.pending()
    await shows('Allow bash?')
    key('Enter')
    const answered = { outcome: 'answered', by: 'terminal' }
    expect(await pi.outcomeOf(first)).toEqual({ action: 'allow', ...answered })
    await shows('It is over.')
    expect(pi.made()).toBe(true)

    type('/new')
    await shows(/New session started/)
    type('scenario:touch')
    const second = await pi.pending()
    await shows('Allow bash?')
    key('Escape')
    expect(await pi.outcomeOf(second)).toEqual({ action: 'deny', ...answered })
  })
})

describe.skipIf(reason !== undefined)('a Pi in a terminal', () => {
  test('shows the end of a long call, and allows it only when a person chooses that', async () => {
    const pi = await setUp('0.87')
    await pi.hooks('install', 'pi', '--yes')
    const { type, key, shows } = await pi.terminal('scenario:long')
    const first = await pi.pending()
    await shows('1018 characters are not shown')
    await shows('; touch made.txt')
    await shows('Yes, without seeing 1018 characters')
    key('Enter')
    expect(await pi.outcomeOf(first)).toMatchObject({ action: 'deny', by: 'terminal' })
    type('/new')
    await shows(/New session started/)
    type('scenario:long')
    const second = await pi.pending()
    await shows('Yes, without seeing 1018 characters')
    key('Down')
    key('Enter')
    expect(await pi.outcomeOf(second)).toMatchObject({ action: 'allow', by: 'terminal' })
    await eventually(() => expect(pi.made()).toBe(true))
  })

  test('asks nobody without a server, and goes on when it stops', async () => {
    const pi = await setUp('0.87')
    await pi.hooks('install', 'pi', '--yes')
    const { key, shows } = await pi.terminal('scenario:touch')
    await pi.pending()
    await shows('Allow bash?')
    await pi.stop()
    await shows('Allow bash?')
    expect(pi.made()).toBe(false)
    key('Enter')
    await eventually(() => expect(pi.made()).toBe(true))
    await shows('It is over.')
    expect((await pi.print('scenario:touch')).stdout).toContain('It is over.')
  })

  test('asks about no reading, and about no run that nobody watches', async () => {
    const pi = await setUp('0.87')
    await pi.hooks('install', 'pi', '--yes')
    expect((await pi.print('scenario:touch')).stdout).toContain('It is over.')
    expect(pi.made()).toBe(true)
    const { shows } = await pi.terminal('scenario:read')
    await shows('It is over.')
    const { sessions } = await pi.server().client.sessions.list()
    for (const { id } of sessions) {
      const { events } = await pi.server().client.sessions.events(id)
      expect(events.filter((each) => each.type === 'approval_request')).toEqual([])
    }
  })
})

/** A Pi whose extension connects to a server that is none. */
const openWithPeer = async (onConnection: (socket: Socket) => void) => {
  const pi = await setUp('0.87')
  const data = mkdtempSync(join(tmpdir(), 'sluice-peer-'))
  const peer = createServer((socket) => {
    socket.on('error', () => {})
    onConnection(socket)
  })
  await new Promise<void>((resolve) => peer.listen(join(data, 'hooks.sock'), resolve))
  onTestFinished(() => {
    peer.close()
    rmSync(data, { recursive: true })
  })
  await sluice(['hooks', 'install', 'pi', '--yes', '--data', data], { env: pi.env })
  return { ...pi, screen: await pi.terminal('scenario:touch') }
}

describe.skipIf(reason !== undefined)('a Pi whose server', () => {
  test('gives a question up at once asks in the terminal', async () => {
    const { screen, made } = await openWithPeer((socket) => {
      socket.once('data', () => socket.end('{}\n'))
    })
    await screen.shows('Allow bash?')
    expect(made()).toBe(false)
    screen.key('Enter')
    await eventually(() => expect(made()).toBe(true))
  })

  test('sends garbage is denied the call', async () => {
    const { screen, made } = await openWithPeer((socket) => {
      socket.once('data', () => socket.write('}{\n\n[]\n{"output":"no"}\n{"output":7}\n'))
    })
    await screen.shows('Denied.')
    expect(made()).toBe(false)
  })

  test('says nothing goes on without it', async () => {
    const { screen, made } = await openWithPeer((socket) => void socket.resume())
    await screen.shows('It is over.')
    expect(made()).toBe(true)
  })
})

test('the extension of Pi is one file of ours, shown first, and removed again', async () => {
  const pi = await setUp('0.87')
  const shown = await pi.hooks('install', 'pi')
  expect(shown.stdout).toContain('+export default async (pi) =>')
  expect(shown.code).not.toBe(0)
  expect(existsSync(pi.extension)).toBe(false)
  await pi.hooks('install', 'pi', '--yes')
  expect(readFileSync(pi.extension, 'utf8')).toContain(JSON.stringify(pi.data))
  expect((await pi.hooks('install', 'pi', '--yes')).stdout).toContain('has the hooks already')
  const removed = await pi.hooks('remove', 'pi', '--yes')
  expect(removed.stdout).toContain('Removed the hooks')
  expect(existsSync(pi.extension)).toBe(false)
})
