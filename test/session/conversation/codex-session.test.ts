import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { codex } from '../../../src/agents/codex/index.ts'
import type { AgentEvent } from '../../../src/events/types.ts'
import { createLedger } from '../../../src/ledger/ledger.ts'
import { codexModel, codexSetup } from '../../agents/codex.ts'
import type { AgentSetup } from '../../agents/sandbox.ts'
import { type Script, scripts } from '../../model/scripts.ts'
import { startModel } from '../../model/server.ts'
import { ofType, textOf } from '../../support/decoded.ts'
import { type LiveSessionOptions, openLiveSession } from '../../support/live-session.ts'

const { setup: available, ...absent } = codexSetup('http://127.0.0.1')
available?.remove()
if ('reason' in absent) console.log(`skipped: Codex: ${absent.reason}`)

/** A command that is not known to be harmless, so that Codex asks. */
const touching: Script = {
  steps: [
    {
      kind: 'reply',
      blocks: [{ type: 'tool_use', name: 'bash', input: { command: 'touch made.txt; echo made' } }],
    },
    { kind: 'reply', blocks: [{ type: 'text', deltas: ['Over', '.'] }] },
  ],
}

/** A subagent sees the same conversation, so it answers with the third step. */
const delegating: Script = {
  steps: [
    {
      kind: 'reply',
      blocks: [
        {
          type: 'tool_use',
          name: 'collaboration.spawn_agent',
          input: { message: 'Look around.', task_name: 'child' },
        },
      ],
    },
    {
      kind: 'reply',
      blocks: [
        { type: 'tool_use', name: 'collaboration.wait_agent', input: { timeout_ms: 20000 } },
      ],
    },
    { kind: 'reply', blocks: [{ type: 'text', deltas: ['Over', '.'] }] },
  ],
}

/** The app-server of the real Codex, with a scripted model. */
describe.skipIf(!available)('Codex', () => {
  let model: Awaited<ReturnType<typeof startModel>>
  let setup: AgentSetup
  const open: { close(): Promise<void> }[] = []

  beforeEach(async () => {
    model = await startModel({ ...scripts, touch: touching, subagent: delegating })
    const found = codexSetup(model.url).setup
    if (!found) throw new Error('CODEX_BIN went away')
    setup = found
  })
  afterEach(async () => {
    for (const session of open.splice(0)) await session.close()
    setup.remove()
    await model.close()
  })

  const live = (more: Partial<LiveSessionOptions> = {}) => {
    const deps = { requestApprovals: true, ...more.deps }
    const session = openLiveSession({ agent: codex, setup, model: codexModel, ...more, deps })
    open.push(session)
    return session
  }
  const isEnd = (event: AgentEvent) => event.type === 'agent_end'
  const isRequest = (event: AgentEvent) => event.type === 'approval_request' || isEnd(event)

  const requested = async (session: ReturnType<typeof live>, prompt: string) => {
    const from = session.events.length
    await session.prompt(prompt)
    const event = await session.until(isRequest, from)
    if (event.type !== 'approval_request') throw new Error(`not asked: ${JSON.stringify(event)}`)
    return event
  }

  test('streams an answer, with its usage and the details of the session', async () => {
    const session = live()
    const events = await session.run('scenario:text please')
    expect(textOf(events)).toBe('Hello from the model.')
    expect(events.at(-1)).toMatchObject({ type: 'agent_end', stopReason: 'stop' })
    const updates = ofType(session.events, 'session_update')
    expect(updates).toContainEqual(
      expect.objectContaining({ model: codexModel, permissionMode: 'untrusted' }),
    )
    expect(ofType(session.events, 'raw')).toEqual([])
    expect(ofType(session.events, 'usage_update').at(-1)?.totals).toMatchObject({
      input: 1800,
      output: 8,
    })
  })

  test('runs a command when it is allowed, and not when it is denied', async () => {
    const session = live()
    const request = await requested(session, 'scenario:touch please')
    expect(request).toMatchObject({
      kind: 'tool',
      toolName: 'command_execution',
      args: { command: 'touch made.txt; echo made' },
    })
    expect(request.options?.map(({ kind }) => kind)).toContain('stop')
    // Codex would run its own command, so other arguments are no answer.
    const updatedInput = { command: 'ls' }
    expect(session.answer(request.approvalId, { action: 'allow', updatedInput })).toBe(false)
    session.answer(request.approvalId, { action: 'deny' })
    await session.until(isEnd)
    expect(existsSync(join(setup.cwd, 'made.txt'))).toBe(false)
    expect(ofType(session.events, 'tool_result').at(-1)?.message.isError).toBe(true)

    const second = await requested(session, 'scenario:touch please')
    const from = session.events.length
    session.answer(second.approvalId, { action: 'allow' })
    await session.until(isEnd, from)
    expect(existsSync(join(setup.cwd, 'made.txt'))).toBe(true)
    expect(ofType(session.events, 'tool_execution_end').at(-1)).toMatchObject({ exitCode: 0 })
  })

  test('a project that nobody trusts in Codex starts no MCP servers of its own', async () => {
    mkdirSync(join(setup.cwd, '.codex'))
    const mark = join(setup.cwd, 'ran.txt')
    const server = `[mcp_servers.own]\ncommand = "/bin/touch"\nargs = ["${mark}"]\n`
    writeFileSync(join(setup.cwd, '.codex/config.toml'), server)
    const session = live()
    const request = await requested(session, 'scenario:touch please')
    session.answer(request.approvalId, { action: 'allow' })
    await session.until(isEnd)
    expect(existsSync(join(setup.cwd, 'made.txt'))).toBe(true)
    expect(existsSync(mark)).toBe(false)
    const config = readFileSync(join(setup.env.CODEX_HOME ?? '', 'config.toml'), 'utf8')
    expect(config).not.toContain('trust_level')
  })

  test('a subagent works in a thread that is shown inside its call', async () => {
    const config = join(setup.env.CODEX_HOME ?? '', 'config.toml')
    appendFileSync(config, '\n[features]\nmulti_agent_v2 = true\n')
    const session = live()
    const events = await session.run('scenario:subagent please')
    expect(ofType(events, 'tool_call')[0]).toMatchObject({ toolName: 'spawn_agent' })
    const [call] = ofType(events, 'subagent_start')
    expect(ofType(events, 'subagent_end')).toMatchObject([{ toolCallId: call?.toolCallId }])
    const inside = events.filter(({ parentToolCallId }) => parentToolCallId === call?.toolCallId)
    expect(ofType(inside, 'message_end').map(({ message }) => message)).toContainEqual(
      expect.objectContaining({ role: 'assistant', model: codexModel }),
    )
    expect(ofType(session.events, 'raw')).toEqual([])
  })

  test('a conversation that Codex does not have becomes a new one', async () => {
    const session = live({ nativeId: '01a1dded-3904-7440-8ea9-0b96b23fbd39', head: 1 })
    expect(textOf(await session.run('scenario:text please'))).toBe('Hello from the model.')
    const notices = ofType(session.events, 'session_update').map(({ notice }) => notice?.text)
    expect(notices.join()).toContain('starts a new one')
  })

  test('denying with “stop” ends the run', async () => {
    const session = live()
    const request = await requested(session, 'scenario:touch please')
    session.answer(request.approvalId, { action: 'deny', optionId: 'cancel' })
    expect(await session.until(isEnd)).toMatchObject({ stopReason: 'aborted' })
  })

  test('changes files after an approval, with a diff of each', async () => {
    const session = live()
    const request = await requested(session, 'scenario:patch please')
    expect(request).toMatchObject({ toolName: 'file_change' })
    expect(request.options?.map(({ id }) => id)).toEqual([
      'accept',
      'acceptForSession',
      'decline',
      'cancel',
    ])
    session.answer(request.approvalId, { action: 'allow', optionId: 'acceptForSession' })
    await session.until(isEnd)
    expect(readFileSync(join(setup.cwd, 'new.txt'), 'utf8')).toBe('brand new\n')
    const { details } = ofType(session.events, 'tool_result').at(-1)?.message ?? {}
    expect(JSON.stringify(details)).toContain('+The note says goodbye.')
  })

  test('reads a message in the middle of a run', async () => {
    const session = live()
    const request = await requested(session, 'scenario:touch please')
    expect(await session.steer('Also scenario:thinking now')).toMatchObject({ outcome: 'accepted' })
    session.answer(request.approvalId, { action: 'allow' })
    await session.until(isEnd)
    expect(ofType(session.events, 'agent_start')).toHaveLength(1)
    expect(textOf(session.events)).toContain('I thought.')
    const sent = ofType(session.events, 'message_end').filter(
      ({ message }) => message.role === 'user',
    )
    expect(sent).toHaveLength(2)
  })

  test('stops a run, and works on afterwards', async () => {
    const session = live()
    await session.prompt('scenario:slow please')
    await session.until(({ type }) => type === 'message_update')
    await session.abort()
    expect(await session.until(isEnd)).toMatchObject({ stopReason: 'aborted' })
    expect(textOf(await session.run('scenario:text please'))).toBe('Hello from the model.')
  })

  test('resumes a conversation, and counts its tokens once', async () => {
    const session = live()
    await session.run('scenario:text please')
    await session.stop()
    const from = session.events.length
    await session.run('scenario:text please')
    const again = session.events.slice(from)
    expect(model.requests.at(-1)?.body).toContain('Hello from the model.')
    const ledger = createLedger()
    for (const event of session.events.slice(0, from)) ledger.add(event)
    ledger.nextProcess()
    for (const event of again) ledger.add(event)
    expect(ledger.totals()).toMatchObject({ input: 3600, output: 16 })
  })

  test('withdraws the text of a model call that is retried', async () => {
    const session = live()
    const events = await session.run('scenario:retry-midstream please')
    expect(ofType(events, 'auto_retry_start')).toHaveLength(1)
    expect(ofType(events, 'message_withdrawn')).toHaveLength(1)
    expect(ofType(events, 'auto_retry_end')).toMatchObject([{ success: true }])
    expect(ofType(events, 'message_end').at(-1)?.message.content).toEqual([
      { type: 'text', text: 'Second try.' },
    ])
  })

  test('reports why a run failed', async () => {
    const session = live()
    const events = await session.run('scenario:error please')
    expect(events.at(-1)).toMatchObject({
      stopReason: 'error',
      errorMessage: expect.stringContaining('The request is not valid'),
    })
  })

  test('its death closes what is open, and the next prompt resumes', async () => {
    const session = live()
    await session.run('scenario:text please')
    await session.prompt('scenario:slow please')
    await session.until(({ type }) => type === 'message_update', session.events.length)
    const pid = session.changes.findLast(({ pid }) => pid)?.pid
    if (!pid) throw new Error('no process')
    const from = session.events.length
    process.kill(pid, 'SIGKILL')
    expect(await session.until(isEnd, from)).toMatchObject({ stopReason: 'interrupted' })
    expect(textOf(await session.run('scenario:text please'))).toBe('Hello from the model.')
  })
})
