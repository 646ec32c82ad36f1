import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { hasProc } from '../../src/process/process-table.ts'
import { claudeSetup } from '../agents/claude.ts'
import { piBin, piSetup } from '../agents/pi.ts'
import type { AgentSetup } from '../agents/sandbox.ts'
import { inputTokens } from '../model/message.ts'
import { scripts } from '../model/scripts.ts'
import { type Model, startModel } from '../model/server.ts'
import { eventually } from '../support/eventually.ts'
import { hasTmux, startTerminal, watchAgent } from './terminal-rig.ts'

type Rig = Awaited<ReturnType<typeof watchAgent>>

const touch = {
  steps: [
    {
      kind: 'reply' as const,
      blocks: [{ type: 'tool_use' as const, name: 'bash', input: { command: 'touch made.txt' } }],
    },
    { kind: 'reply' as const, blocks: [{ type: 'text' as const, deltas: ['It', ' is over.'] }] },
  ],
}

const startScripts = async (): Promise<Model> => {
  const model = await startModel({ ...scripts, touch })
  onTestFinished(() => model.close())
  return model
}

/** What the model has served to the main conversation. */
const servedInput = ({ requests }: Model): number =>
  requests.reduce(
    (sum, { position }) => sum + (position ? inputTokens(position.step).input_tokens : 0),
    0,
  )

const countedInput = async (rig: Rig): Promise<number | undefined> => {
  const last = (await rig.events()).findLast((event) => event.type === 'usage_update')
  return last?.type === 'usage_update' ? last.totals.input : undefined
}

const answered = (rig: Rig, text: string) =>
  eventually(async () => expect(JSON.stringify(await rig.events())).toContain(text))

/** Continues the session here, and checks that it is the same conversation. */
const goOnHere = async (rig: Rig, model: Model) => {
  const before = await rig.events()
  const { id } = await rig.only()
  const { nativeId } = (await rig.only()).watched ?? {}
  await rig.takeover.continue(id)
  const session = await rig.sessions.get(id)
  await session?.prompt('scenario:text once more')
  await rig.sessions.idle()
  expect(model.requests.findLast(({ position }) => position)?.body).toContain('quince')
  const after = await rig.events()
  expect(after.slice(0, before.length)).toEqual(before)
  expect(after.findLast((event) => event.type === 'agent_end')).toMatchObject({
    stopReason: 'stop',
  })
  expect(await countedInput(rig)).toBe(servedInput(model))
  expect(await rig.only()).toMatchObject({ id, nativeId })
}

const isReady = hasTmux && hasProc

test.skipIf(!isReady)(
  'Pi in a terminal: its session grows, and can be continued here when Pi has ended',
  { timeout: 90_000 },
  async () => {
    const model = await startScripts()
    const setup = piSetup('0.87', model.url)
    onTestFinished(setup.remove)
    const rig = await watchAgent('pi', setup)
    const argv = [process.execPath, piBin('0.87'), '--model', 'fake/fake-sonnet']
    const pi = startTerminal(argv, setup)
    await pi.shows('fake-sonnet')
    pi.press('scenario:text the word is quince')
    await pi.submits('quince', 'Hello from the model.')
    await answered(rig, 'Hello from the model.')
    await eventually(async () => expect(await rig.presence()).toMatchObject({ state: 'alive' }))
    const { id } = await rig.only()
    await expect(rig.takeover.continue(id)).rejects.toMatchObject({
      code: 'agent_running',
      message: expect.stringMatching(/^Process \d+ of Pi still works in this session/),
    })
    pi.press('scenario:tool')
    await pi.submits('scenario:tool', 'It ran.')
    await answered(rig, 'It ran.')
    expect(await countedInput(rig)).toBe(servedInput(model))
    pi.end()
    await eventually(async () => expect(await rig.presence()).toEqual({ state: 'gone' }))
    await goOnHere(rig, model)
  },
)

const claude = process.env.CLAUDE_BIN
if (claude === undefined)
  console.log('skipped: Claude Code in a terminal: CLAUDE_BIN does not name a Claude Code')

/** Answers what Claude Code asks at its first start. */
const introduce = ({ env, cwd }: AgentSetup) => {
  const directory = env.CLAUDE_CONFIG_DIR ?? ''
  mkdirSync(directory, { recursive: true })
  const settings = {
    ...{ hasCompletedOnboarding: true, theme: 'dark' },
    customApiKeyResponses: { approved: ['sk-ant-dummy'], rejected: [] },
    projects: { [cwd]: { hasTrustDialogAccepted: true } },
  }
  writeFileSync(join(directory, '.claude.json'), JSON.stringify(settings))
}

test.skipIf(!isReady || claude === undefined)(
  'Claude Code in a terminal: Sluice knows that it waits for a permission, and that it has ended',
  { timeout: 90_000 },
  async () => {
    const model = await startScripts()
    const { setup } = claudeSetup(model.url)
    if (!setup || claude === undefined) throw new Error('Claude Code went away')
    onTestFinished(setup.remove)
    introduce(setup)
    const rig = await watchAgent('claude', setup)
    const terminal = startTerminal(
      [...setup.argv.slice(0, 1), '--model', 'claude-sonnet-4-5'],
      setup,
    )
    await terminal.shows('manual mode')
    terminal.press('scenario:text the word is quince')
    await terminal.shows('quince')
    terminal.press('Enter')
    await answered(rig, 'Hello from the model.')
    await eventually(async () => expect(await rig.presence()).toMatchObject({ state: 'idle' }))

    terminal.press('scenario:touch')
    await terminal.shows('scenario:touch')
    terminal.press('Enter')
    await eventually(async () =>
      expect(await rig.presence()).toMatchObject({
        ...{ state: 'waiting', waitingFor: 'permission prompt' },
      }),
    )
    const { id } = await rig.only()
    await expect(rig.takeover.continue(id)).rejects.toMatchObject({ code: 'agent_running' })
    await terminal.shows('Do you want to proceed?')
    terminal.press('Enter')
    await answered(rig, 'It is over.')
    await eventually(async () => expect(await rig.presence()).toMatchObject({ state: 'idle' }))
    terminal.press('/exit')
    await terminal.shows('/exit')
    terminal.press('Enter')
    await eventually(async () => expect(await rig.presence()).toEqual({ state: 'gone' }))
    await goOnHere(rig, model)
  },
)
