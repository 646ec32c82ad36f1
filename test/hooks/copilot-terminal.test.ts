import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { copilotSetup } from '../agents/copilot.ts'
import type { Script } from '../model/scripts.ts'
import { startModel } from '../model/server.ts'
import { eventually } from '../support/eventually.ts'
import { openTerminalServer } from './terminal-server.ts'
import { openTmuxScreen, whyNoTmux } from './tmux-screen.ts'

const found = copilotSetup('http://127.0.0.1:1')
const reason = found.setup ? whyNoTmux() : found.reason
found.setup?.remove()
if (reason !== undefined) console.log(`skipped: hooks of Copilot in a terminal: ${reason}`)
const withTerminal = test.skipIf(reason !== undefined)

const command = (text: string): Script => ({
  steps: [
    {
      kind: 'reply',
      blocks: [{ type: 'tool_use', name: 'bash', input: { command: text, description: 'Run it' } }],
    },
    { kind: 'reply', blocks: [{ type: 'text', deltas: ['It is over.'] }] },
  ],
})

const setUp = async () => {
  const model = await startModel({ touch: command('touch made.txt'), list: command('ls') })
  const { setup } = copilotSetup(model.url)
  if (!setup) throw new Error('no Copilot')
  const { argv, cwd } = setup
  const env: Record<string, string> = { ...setup.env, TERM: 'xterm-256color' }
  mkdirSync(env.COPILOT_HOME ?? '')
  writeFileSync(
    join(env.COPILOT_HOME ?? '', 'config.json'),
    JSON.stringify({ trustedFolders: [cwd], firstLaunchAt: '2026-11-19T03:58:54.048Z' }),
  )
  onTestFinished(async () => {
    await model.close()
    setup.remove()
  })
  const sluice = await openTerminalServer(env, cwd)
  return {
    ...{ ...sluice, cwd },
    file: join(env.COPILOT_HOME ?? '', 'hooks/sluice.json'),
    made: () => existsSync(join(cwd, 'made.txt')),
    wasSent: (text: string) => model.requests.some(({ body }) => body.includes(text)),
    terminal(prompt: string) {
      const options = ['--disable-client-telemetry', '--no-auto-update', '-i', prompt]
      const home = env.HOME ?? ''
      const screen = openTmuxScreen({ home, cwd, env, command: [...argv, ...options] })
      onTestFinished(screen.close)
      return screen
    },
  }
}

withTerminal('Copilot reports that it waits, and that it is done', async () => {
  const { hooks, terminal, presence, made, server, file } = await setUp()
  expect((await hooks('install', 'copilot', '--yes')).stderr).toBe('')
  const { shows, key } = terminal('scenario:touch')
  await shows('Do you want to run this command?')
  await eventually(async () =>
    expect(await presence()).toMatchObject({ state: 'waiting', waitingFor: 'permission_prompt' }),
  )
  expect(await server().client.approvals.list()).toEqual([])
  key('1')
  await shows('It is over.')
  expect(made()).toBe(true)
  await eventually(async () => expect(await presence()).toMatchObject({ state: 'idle' }))
  await hooks('remove', 'copilot', '--yes')
  expect(existsSync(file)).toBe(false)
})

withTerminal('Copilot asks here first, where a person wants that', async () => {
  const { hooks, terminal, pending, answer, made, wasSent } = await setUp()
  expect((await hooks('install', 'copilot', '--ask', '--yes')).stdout).toContain('30 seconds')
  expect((await hooks('status')).stdout).toContain('GitHub Copilot: hooks installed (asks here)')
  const { shows, text, type } = terminal('scenario:touch')
  const first = await pending()
  expect(first).toMatchObject({ toolName: 'bash', args: { command: 'touch made.txt' } })
  expect(first.deadline).toBeLessThan(Date.now() + 30_000)
  expect(text()).not.toContain('Do you want to run this command?')
  await answer(first, { action: 'allow' })
  await shows('It is over.')
  expect(made()).toBe(true)
  // It would run this one without a question.
  type('scenario:list')
  await answer(await pending(), { action: 'deny', message: 'Not on a Friday.' })
  await eventually(() => expect(wasSent('Not on a Friday.')).toBe(true))
})

withTerminal(
  'Copilot runs the hooks of a project for Claude Code, which makes no session',
  async () => {
    const { hooks, terminal, server, cwd } = await setUp()
    await hooks('install', 'claude', '--project', cwd, '--yes')
    await hooks('install', 'copilot', '--yes')
    const { shows } = terminal('scenario:list')
    await shows('It is over.')
    await eventually(async () => {
      const { sessions } = await server().client.sessions.list()
      expect(sessions.map(({ agent, watched }) => [agent, watched?.presence?.state])).toEqual([
        ['copilot', 'idle'],
      ])
    })
  },
)
