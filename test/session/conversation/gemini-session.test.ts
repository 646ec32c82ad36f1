import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { gemini } from '../../../src/agents/gemini/index.ts'
import { qwen } from '../../../src/agents/qwen/index.ts'
import type { AgentEvent, ApprovalMode } from '../../../src/events/types.ts'
import { geminiSetup } from '../../agents/gemini.ts'
import { qwenSetup } from '../../agents/qwen.ts'
import type { AgentSetup } from '../../agents/sandbox.ts'
import { type Script, scripts } from '../../model/scripts.ts'
import { type Model, startModel } from '../../model/server.ts'
import { deltasOf, ofType, textOf } from '../../support/decoded.ts'
import { openLiveSession } from '../../support/live-session.ts'

/** A command that both request an approval for. */
const touch: Script = {
  steps: [
    {
      kind: 'reply',
      blocks: [{ type: 'tool_use', name: 'bash', input: { command: 'touch one.txt' } }],
    },
    { kind: 'reply', blocks: [{ type: 'text', deltas: ['It', ' is over.'] }] },
  ],
}

const cases = [
  { agent: gemini, setUp: geminiSetup, model: 'gemini-2.5-flash', goesOnAfterDenial: true },
  { agent: qwen, setUp: qwenSetup, model: 'qwen3-coder-plus', goesOnAfterDenial: false },
]

const isEnd = (event: AgentEvent) => event.type === 'agent_end'

/** The real agents, if they are installed, with a scripted model. */
describe.each(cases)('a session with $agent.title', ({ agent, setUp, model: name, ...traits }) => {
  const { setup: available, ...absent } = setUp('http://127.0.0.1')
  available?.remove()
  if ('reason' in absent) console.log(`skipped: ${agent.title}: ${absent.reason}`)

  describe.skipIf(!available)('over the Agent Client Protocol', () => {
    let model: Model
    let setup: AgentSetup
    const open: { close(): Promise<void> }[] = []

    beforeEach(async () => {
      model = await startModel({ ...scripts, touch })
      const found = setUp(model.url).setup
      if (!found) throw new Error(`${agent.title} went away`)
      setup = found
    })
    afterEach(async () => {
      for (const session of open.splice(0)) await session.close()
      setup.remove()
      await model.close()
    })

    const live = (policy: ApprovalMode = 'ask') => {
      const session = openLiveSession({ agent, setup, model: name, deps: {}, policy })
      open.push(session)
      return session
    }
    const exists = () => existsSync(join(setup.cwd, 'one.txt'))
    const request = (event: AgentEvent) => event.type === 'approval_request'

    test('answers each prompt with one run, and counts its tokens', async () => {
      const session = live()
      expect(textOf(await session.run('scenario:text please'))).toBe('Hello from the model.')
      const second = await session.run('scenario:tool please')
      expect(textOf(second)).toContain('It ran.')
      expect(ofType(second, 'tool_call')).toMatchObject([{ toolName: 'run_shell_command' }])
      expect(second.at(-1)).toMatchObject({ type: 'agent_end', stopReason: 'stop' })
      expect(ofType(session.events, 'session_start')).toMatchObject([{ agent: agent.name }])
      expect(ofType(session.events, 'usage_update').at(-1)?.totals.input).toBeGreaterThan(1000)
    })

    test('a call that a person allows runs', async () => {
      const session = live()
      await session.prompt('scenario:touch please')
      const asked = await session.until(request)
      if (asked.type !== 'approval_request') throw new Error('no request')
      expect(asked.options?.map(({ kind }) => kind)).toContain('allow_once')
      session.answer(asked.approvalId, { action: 'allow' })
      await session.until(isEnd)
      expect(exists()).toBe(true)
      expect(ofType(session.events, 'tool_result')).toMatchObject([{ message: { isError: false } }])
    })

    test('a call that a person denies does not run, and the session goes on', async () => {
      const session = live()
      await session.prompt('scenario:touch please')
      const asked = await session.until(request)
      if (asked.type !== 'approval_request') throw new Error('no request')
      session.answer(asked.approvalId, { action: 'deny' })
      await session.until(isEnd)
      expect(exists()).toBe(false)
      expect(ofType(session.events, 'tool_result')).toMatchObject([{ message: { isError: true } }])
      expect(textOf(session.events).includes('It is over.')).toBe(traits.goesOnAfterDenial)
      expect(textOf(await session.run('scenario:text please'))).toBe('Hello from the model.')
    })

    test('a run can be stopped in the middle of a text, and while a request is open', async () => {
      const session = live()
      await session.prompt('scenario:slow please')
      await session.until((event) => deltasOf([event]).length > 0)
      await session.abort()
      expect(await session.until(isEnd)).toMatchObject({ stopReason: 'aborted' })
      const from = session.events.length
      await session.prompt('scenario:touch please')
      await session.until(request, from)
      await session.abort()
      expect(await session.until(isEnd, from)).toMatchObject({ stopReason: 'aborted' })
      expect(exists()).toBe(false)
    })

    test('stopping the session in the middle of a text ends the run, once', async () => {
      const session = live()
      await session.prompt('scenario:slow please')
      await session.until((event) => deltasOf([event]).length > 0)
      await session.stop()
      const ends = ofType(session.events, 'agent_end')
      expect(ends).toHaveLength(1)
      // Some agents still answer when they are stopped, and others do not.
      expect(['aborted', 'interrupted']).toContain(ends[0]?.stopReason)
    })

    test('an error of the provider ends the run with its message', async () => {
      const session = live()
      const events = await session.run('scenario:error please')
      const end = ofType(events, 'agent_end').at(-1)
      expect(end).toMatchObject({ stopReason: 'error' })
      expect(end?.errorMessage).toContain('The request is not valid')
    })
  })
})
