import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { Approval } from '../../src/api/types.ts'
import { programForTests } from '../agents/cached-agents.ts'
import { codexModel } from '../agents/codex.ts'
import type { Script } from '../model/scripts.ts'
import { startModel } from '../model/server.ts'
import { eventually } from '../support/eventually.ts'
import { createServerDirectories, startServerProcess } from '../support/server-process.ts'
import { sluice } from '../support/sluice.ts'
import { openTmuxScreen, whyNoTmux } from './tmux-screen.ts'

const bin = programForTests('codex')
const reason = bin ? whyNoTmux() : 'Codex is not installed: npm run agents:install codex'
if (reason !== undefined) console.log(`skipped: approvals of Codex in a terminal: ${reason}`)

const touch = (path: string): Script => ({
  steps: [
    {
      kind: 'reply',
      blocks: [
        {
          type: 'tool_use',
          name: 'bash',
          input: {
            command: `touch ${path}`,
            sandbox_permissions: 'require_escalated',
            justification: 'Make a file',
          },
        },
      ],
    },
    { kind: 'reply', blocks: [{ type: 'text', deltas: ['It is over.'] }] },
  ],
})

const setUp = async () => {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'sluice-codex-')))
  const [home, cwd] = [join(root, 'home'), join(root, 'project')]
  const made = join(root, 'made.txt')
  for (const each of [home, cwd, join(home, '.codex')]) mkdirSync(each)
  const model = await startModel({ touch: touch(made) })
  const provider = `name = "fake"\nbase_url = "${model.url}/v1"\nwire_api = "responses"\nenv_key = "FAKE_KEY"`
  writeFileSync(
    join(home, '.codex', 'config.toml'),
    `model = "${codexModel}"
model_provider = "fake"
approval_policy = "on-request"
sandbox_mode = "read-only"
[model_providers.fake]
${provider}
[projects."${cwd}"]
trust_level = "trusted"
`,
  )
  const env = {
    ...{ PATH: process.env.PATH ?? '', HOME: home, CODEX_HOME: join(home, '.codex') },
    ...{ FAKE_KEY: 'dummy', TERM: 'xterm-256color' },
  }
  const directories = createServerDirectories()
  const server = await startServerProcess(directories, { env: { ...process.env, HOME: home } })
  const installed = await sluice(
    ['hooks', 'install', 'codex', '--yes', '--data', directories.data],
    { env },
  )
  expect(installed.stdout).toContain('trusted')
  const command = [bin ?? '', '--dangerously-bypass-hook-trust', 'scenario:touch']
  const screen = openTmuxScreen({ home, cwd, env, command })
  onTestFinished(async () => {
    screen.close()
    await server.stop()
    await model.close()
    directories.remove()
    rmSync(root, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 })
  })
  const pending = (): Promise<Approval> =>
    eventually(async () => {
      // An offer at its first start.
      if (screen.text().includes('Use existing model')) screen.key('2')
      if (screen.text().includes('› 2. Use existing model')) screen.key('Enter')
      const [found] = await server.client.approvals.list()
      if (!found) throw new Error(`no approval\n${screen.text()}`)
      return found
    })
  return { server, screen, pending, made }
}

test.skipIf(reason !== undefined)('Codex asks here first, and runs what is allowed', async () => {
  const { server, screen, pending, made } = await setUp()
  const approval = await pending()
  expect(approval).toMatchObject({ toolName: 'Bash', reasoning: 'Make a file' })
  expect(approval.toolCallId).toBeDefined()
  expect(screen.text()).not.toContain('Would you like to run')
  const { approvalId, hash } = approval
  await server.client.approvals.answer(approvalId, { action: 'allow', hash })
  await screen.shows('It is over.')
  expect(existsSync(made)).toBe(true)
})
