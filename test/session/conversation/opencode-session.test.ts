import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { openCode } from '../../../src/agents/opencode/index.ts'
import type { ApprovalMode, StampedEvent } from '../../../src/events/types.ts'
import type { SessionDeps } from '../../../src/session/conversation/session-deps.ts'
import { openCodeSetup } from '../../agents/opencode.ts'
import type { AgentSetup } from '../../agents/sandbox.ts'
import { type Script, scripts } from '../../model/scripts.ts'
import { startModel } from '../../model/server.ts'
import { ofType, textOf } from '../../support/decoded.ts'
import { openLiveSession } from '../../support/live-session.ts'

const { setup: available, ...absent } = openCodeSetup('http://127.0.0.1')
available?.remove()
if ('reason' in absent) console.log(`skipped: OpenCode: ${absent.reason}`)

/** A subagent that wants to run a command. */
const delegate: Script = {
  steps: [
    {
      kind: 'reply',
      blocks: [
        {
          type: 'tool_use',
          name: 'task',
          input: { description: 'A task', prompt: 'scenario:child', subagent_type: 'general' },
        },
      ],
    },
    { kind: 'hang', blocks: [{ type: 'text', deltas: ['The parent', ' goes on.'] }] },
  ],
}
const child: Script = {
  steps: [
    {
      kind: 'reply',
      blocks: [{ type: 'tool_use', name: 'bash', input: { command: 'touch made.txt' } }],
    },
  ],
}

/** The real OpenCode, if it is installed, over ACP and with a scripted model. */
describe.skipIf(!available)('a session with OpenCode', { timeout: 40_000 }, () => {
  let model: Awaited<ReturnType<typeof startModel>>
  let setup: AgentSetup
  const open: { close(): Promise<void> }[] = []

  beforeEach(async () => {
    model = await startModel({ ...scripts, delegate, child })
    const found = openCodeSetup(model.url).setup
    if (!found) throw new Error('OPENCODE_BIN went away')
    setup = found
  })
  afterEach(async () => {
    for (const session of open.splice(0)) await session.close()
    setup.remove()
    await model.close()
  })

  const live = (policy: ApprovalMode = 'allow', deps: Partial<SessionDeps> = {}) => {
    const options = { agent: openCode, setup, model: 'fake/fake-model', policy, deps }
    const session = openLiveSession(options)
    open.push(session)
    return session
  }
  const scenariosAsked = () => model.requests.map(({ position }) => position?.scenario)
  const isRequest = ({ type }: StampedEvent) => type === 'approval_request'
  const isEnd = ({ type }: StampedEvent) => type === 'agent_end'

  test('text is streamed, with its cost', async () => {
    const events = await live().run('scenario:text')
    expect(textOf(events)).toBe('Hello from the model.')
    expect(ofType(events, 'agent_end')[0]).toMatchObject({ stopReason: 'stop' })
    const cost = ofType(events, 'usage_update').at(-1)?.totals.costUsd
    expect(cost).toBeGreaterThan(0)
  })

  test('an allowed call runs and returns its result', async () => {
    const session = live('ask')
    const running = session.run('scenario:tool')
    const request = await session.until(isRequest)
    expect(request).toMatchObject({
      kind: 'tool',
      toolName: 'bash',
      args: { command: 'echo hello' },
    })
    if (request.type !== 'approval_request') return
    session.answer(request.approvalId, { action: 'allow' })
    const events = await running
    expect(ofType(events, 'tool_execution_end')[0]).toMatchObject({ toolName: 'bash', exitCode: 0 })
    expect(textOf(events)).toContain('It ran.')
  })

  test('OPENCODE_PERMISSION makes it ask, if its configuration has no rule', async () => {
    const found = openCodeSetup(model.url, undefined, {}).setup
    if (!found) return expect.unreachable('OPENCODE_BIN went away')
    const env = { ...found.env, OPENCODE_PERMISSION: '{"bash":"ask","edit":"ask"}' }
    const options = { agent: openCode, model: 'fake/fake-model', policy: 'allow' } as const
    const session = openLiveSession({ ...options, setup: { ...found, env } })
    const asked = ofType(await session.run('scenario:tool'), 'approval_request')
    expect(asked).toMatchObject([{ toolName: 'bash' }])
    await session.close()
    found.remove()
  })

  test('a denied call fails, and the run ends without more words', async () => {
    const events = await live('deny').run('scenario:tool')
    expect(ofType(events, 'approval_resolved')[0]).toMatchObject({ action: 'deny' })
    expect(ofType(events, 'tool_result')[0]?.message.isError).toBe(true)
    expect(textOf(events)).not.toContain('It ran.')
  })

  test('an abort ends the run, and the next prompt works', async () => {
    const session = live()
    const running = session.run('scenario:slow')
    await session.until(({ type }) => type === 'message_update')
    await session.abort()
    expect(ofType(await running, 'agent_end')[0]).toMatchObject({ stopReason: 'aborted' })
    expect(textOf(await session.run('scenario:text'))).toContain('Hello from the model.')
  })

  test('an abort ends a run whose subagent requests a permission that OpenCode does not forward', {
    timeout: 90_000,
  }, async () => {
    const session = live('ask', { abortMs: 15_000 })
    const running = session.run('scenario:delegate')
    await expect.poll(() => scenariosAsked(), { timeout: 30_000 }).toContain('child')
    await session.until(({ type }) => type === 'tool_execution_start')
    await session.abort()
    const events = await running
    expect(ofType(events, 'agent_end')[0]).toMatchObject({ stopReason: 'aborted' })
    // If OpenCode forwards the request one day, the notice about silent subagents must go.
    expect(ofType(events, 'approval_request')).toEqual([])
    // The process obeyed: no signal was needed.
    const statuses = ofType(events, 'session_update').flatMap(({ status }) => status ?? [])
    expect(statuses.filter((status) => status.startsWith('stopping'))).toEqual(['stopping'])
    expect(textOf(await session.run('scenario:text'))).toContain('Hello from the model.')
  })

  test('an error of the provider ends the run with its message', async () => {
    const events = await live().run('scenario:error')
    expect(ofType(events, 'agent_end')[0]).toMatchObject({
      stopReason: 'error',
      errorMessage: expect.stringContaining('The request is not valid'),
    })
  })

  test('a message that is sent into a run joins it', async () => {
    const session = live()
    const running = session.run('scenario:script')
    await session.until(({ type }) => type === 'tool_execution_start')
    await session.steer('scenario:text')
    await running
    await session.until(isEnd)
    expect(textOf(session.events)).toContain('Hello from the model.')
    const ends = ofType(session.events, 'message_end')
    expect(ends.filter(({ message }) => message.role === 'user')).toMatchObject([
      { message: { delivery: 'sent' } },
      { message: { delivery: 'taken', content: [{ text: 'scenario:text' }] } },
    ])
    expect(ends.at(-1)?.message.role).toBe('assistant')
    expect(ofType(session.events, 'queue_update').at(-1)?.queued.items ?? []).toEqual([])
  })

  test('a later process continues the conversation', async () => {
    const first = live()
    await first.run('scenario:text')
    const nativeId = first.changes.flatMap((change) => change.nativeId ?? []).at(-1)
    await first.close()
    open.splice(0)
    const head = first.events.at(-1)?.seq ?? 0
    const options = { agent: openCode, setup, model: 'fake/fake-model' }
    const second = openLiveSession({ ...options, head, ...(nativeId && { nativeId }) })
    open.push(second)
    expect(textOf(await second.run('scenario:thinking'))).toBe('I thought.')
    expect(model.requests.at(-1)?.body).toContain('Hello from the model.')
  })
})
