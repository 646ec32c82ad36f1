import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { claude } from '../../../src/agents/claude/index.ts'
import type { AgentEvent } from '../../../src/events/types.ts'
import { claudeSetup, installedClaudes } from '../../agents/claude.ts'
import type { AgentSetup } from '../../agents/sandbox.ts'
import { type Script, type Step, scripts } from '../../model/scripts.ts'
import { startModel } from '../../model/server.ts'
import { ofType, textOf } from '../../support/decoded.ts'
import { openLiveSession } from '../../support/live-session.ts'

const { setup: available, ...absent } = claudeSetup('http://127.0.0.1')
available?.remove()
if ('reason' in absent) console.log(`skipped: Claude Code’s commands: ${absent.reason}`)

const call = (name: string, input: Record<string, unknown>): Step => ({
  kind: 'reply',
  blocks: [{ type: 'tool_use', name, input }],
})
const over: Step = { kind: 'reply', blocks: [{ type: 'text', deltas: ['Understood', '.'] }] }
const calling = (name: string, input: Record<string, unknown>): Script => ({
  steps: [call(name, input), over],
})

const plan = '1. Read. 2. Write.'
/** The call has an absolute path: the model learns the directory of the agent only later. */
const written = {
  get file_path() {
    return join(directory, 'written.txt')
  },
  content: 'Written.',
}
let directory = ''

const questions = [
  {
    question: 'Which colour?',
    header: 'Colour',
    multiSelect: false,
    options: [
      { label: 'Red', description: 'Warm.' },
      { label: 'Blue', description: 'Cold.' },
    ],
  },
]

/** Commands other than prompts, with the real Claude Code and a scripted model. */
describe.skipIf(!available)('Claude Code', () => {
  let model: Awaited<ReturnType<typeof startModel>>
  let setup: AgentSetup
  const open: { close(): Promise<void> }[] = []

  beforeEach(async () => {
    const more = {
      ask: calling('AskUserQuestion', { questions }),
      plan: calling('ExitPlanMode', { plan }),
      'plan-and-write': { steps: [call('ExitPlanMode', { plan }), call('Write', written), over] },
    }
    model = await startModel({ ...scripts, ...more })
    const found = claudeSetup(model.url).setup
    if (!found) throw new Error('CLAUDE_BIN went away')
    setup = found
  })
  afterEach(async () => {
    for (const session of open.splice(0)) await session.close()
    setup.remove()
    await model.close()
  })

  const live = () => {
    const session = openLiveSession({ agent: claude, setup, model: 'claude-sonnet-4-5' })
    open.push(session)
    return session
  }
  const isEnd = (event: AgentEvent) => event.type === 'agent_end'
  const isRequest = (event: AgentEvent) => event.type === 'approval_request' || isEnd(event)

  test('changes its model', async () => {
    const session = live()
    await session.run('scenario:text please')
    expect(await session.setModel('claude-opus-4-1')).toEqual({ outcome: 'accepted' })
    expect(session.changes).toContainEqual({ model: 'claude-opus-4-1' })
    const second = await session.run('scenario:text please')
    const answer = ofType(second, 'message_start').find((each) => each.messageRole === 'assistant')
    expect(answer?.model).toContain('opus')
  })

  test('lists its models, or reports nothing if it cannot', async () => {
    const session = live()
    await session.run('scenario:text please')
    const models = await session.models()
    if (models) expect(models.join(' ')).toContain('opus')
    expect(ofType(session.events, 'error')).toEqual([])
  })

  test('compacts the conversation and continues', async () => {
    const session = live()
    await session.run('scenario:text please')
    await session.run('scenario:text please')
    expect(await session.compact()).toMatchObject({ outcome: 'accepted' })
    await session.until((event) => event.type === 'compaction_end')
    await session.idle()
    expect(textOf(await session.run('scenario:text please'))).toBe('Hello from the model.')
  })

  test('passes the answer to a question to the model', async () => {
    const session = live()
    await session.prompt('scenario:ask please')
    const event = await session.until(
      (event) => event.type === 'approval_request' || event.type === 'agent_end',
    )
    // Old versions have no such tool.
    if (event.type !== 'approval_request')
      return expect(toolsOffered(session)).not.toContain('AskUser')
    expect(event).toMatchObject({ kind: 'question', questions: [{ question: 'Which colour?' }] })
    session.answer(event.approvalId, { action: 'allow', answers: { 'Which colour?': ['Blue'] } })
    await session.until(isEnd)
    expect(JSON.stringify(ofType(session.events, 'tool_result'))).toContain('Blue')
  })

  test.each(installedClaudes())(
    'leaves plan mode when its plan is approved ($version)',
    async ({ bin }) => {
      setup.remove()
      const found = claudeSetup(model.url, bin).setup
      if (!found) throw new Error('it went away')
      setup = found
      directory = setup.cwd
      const config = setup.env.CLAUDE_CONFIG_DIR ?? ''
      mkdirSync(config)
      const settings = { permissions: { defaultMode: 'plan' } }
      writeFileSync(join(config, 'settings.json'), JSON.stringify(settings))
      const session = live()
      await session.prompt('scenario:plan please')
      const first = await session.until(isRequest)
      if (first.type !== 'approval_request') throw new Error('it requested nothing')
      expect(first).toMatchObject({ kind: 'plan', plan: '1. Read. 2. Write.' })
      session.answer(first.approvalId, { action: 'deny', message: 'Read twice.' })
      await session.until(isEnd)
      expect(JSON.stringify(ofType(session.events, 'tool_result'))).toContain('Read twice.')
      // The second time, the edits are accepted, too: it writes without a request.
      const from = session.events.length
      await session.prompt('scenario:plan-and-write please')
      const second = await session.until(isRequest, from)
      if (second.type !== 'approval_request') throw new Error('it requested nothing')
      session.answer(second.approvalId, { action: 'allow', acceptEdits: true })
      await session.until(isEnd, from)
      expect(ofType(session.events, 'approval_request')).toHaveLength(2)
      expect(readFileSync(join(setup.cwd, 'written.txt'), 'utf8')).toBe('Written.')
    },
  )
})

const toolsOffered = ({ events }: { events: readonly AgentEvent[] }): string =>
  JSON.stringify(ofType(events, 'session_start').map(({ tools }) => tools))
