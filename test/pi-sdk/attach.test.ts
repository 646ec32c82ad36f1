import { existsSync } from 'node:fs'
import { join } from 'node:path'
import * as sdk from 'pi-0.87'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createPiDecoder } from '../../src/agents/pi/decode.ts'
import { PiSdkSubjects } from '../../src/bus/adapters.ts'
import type { BusReport, Responder } from '../../src/bus/bus.ts'
import { createLocalBus } from '../../src/bus/local.ts'
import type { BusMessage } from '../../src/bus/subjects/table.ts'
import { checkOrder } from '../../src/events/order.ts'
import type { AgentEvent, StampedEvent } from '../../src/events/types.ts'
import { attachPiSession, piApprovalExtension } from '../../src/pi-sdk/attach.ts'
import { piSetup } from '../agents/pi.ts'
import { startModel } from '../model/server.ts'
import { deltasOf, ofType, textOf } from '../support/decoded.ts'

type Approver = Responder<typeof PiSdkSubjects.tool_approval>

/** The real SDK in this process, with a scripted model. */
describe('an attached Pi session', () => {
  let model: Awaited<ReturnType<typeof startModel>>
  let setup: ReturnType<typeof piSetup>
  let close: () => Promise<void>

  beforeEach(async () => {
    model = await startModel()
    setup = piSetup('0.87', model.url)
  })
  afterEach(async () => {
    await close()
    setup.remove()
    await model.close()
  })

  interface Wanted {
    approver?: Approver
    approvals?: Partial<Parameters<typeof piApprovalExtension>[0]>
    attach?: Partial<Parameters<typeof attachPiSession>[1]>
  }

  const open = async ({ approver, approvals = {}, attach = {} }: Wanted = {}) => {
    const reports: BusReport[] = []
    const errors: unknown[] = []
    const published: BusMessage[] = []
    const stored: StampedEvent[] = []
    const bus = createLocalBus({ onError: (report) => reports.push(report) })
    bus.on('>', (message) => void published.push(message))
    if (approver) bus.respond(PiSdkSubjects.tool_approval, approver)
    const isGated = approver !== undefined || Object.keys(approvals).length > 0
    const gate = piApprovalExtension({ bus, sessionId: 's', ...approvals })

    const session = await createPi(isGated ? [gate] : [])
    const attached = attachPiSession(session, {
      bus,
      sessionId: 's',
      approvals: gate,
      append: async (events) => void stored.push(...events),
      onError: (cause) => errors.push(cause),
      ...attach,
    })
    close = async () => {
      session.dispose()
      await attached.detach()
      await bus.close()
      expect(checkOrder(stored)).toEqual([])
      expect(stored.map(({ seq }) => seq)).toEqual(stored.map((_, index) => index + 1))
    }
    const run = async (scenario: string) => {
      await session.prompt(`scenario:${scenario} please`)
      await attached.settled()
      // The bus delivers messages in the next turn of the event loop.
      await new Promise((resolve) => setImmediate(resolve))
    }
    const grown = new Promise<void>((resolve) => bus.on(PiSdkSubjects.text_delta, () => resolve()))
    return { session, attached, bus, reports, errors, published, stored, run, grown }
  }

  const createPi = async (extensionFactories: ReturnType<typeof piApprovalExtension>[]) => {
    const { cwd, env } = setup
    const agentDir = env.PI_CODING_AGENT_DIR ?? ''
    const settingsManager = sdk.SettingsManager.create(cwd, agentDir)
    const here = { cwd, agentDir, settingsManager }
    const resourceLoader = new sdk.DefaultResourceLoader({ ...here, extensionFactories })
    await resourceLoader.reload()
    const modelsPath = join(agentDir, 'models.json')
    const authPath = join(agentDir, 'auth.json')
    const modelRuntime = await sdk.ModelRuntime.create({ authPath, modelsPath })
    const fake = modelRuntime.getModel('fake', 'fake-sonnet')
    if (!fake) throw new Error('no model')
    const sessionManager = sdk.SessionManager.inMemory(cwd)
    const wanted = { ...here, modelRuntime, model: fake, resourceLoader, sessionManager }
    return (await sdk.createAgentSession(wanted)).session
  }

  test('is stored and then published on the bus, like every other session', async () => {
    const { run, session, stored, published, errors } = await open()
    await run('text')
    expect(textOf(stored)).toBe('Hello from the model.')
    const nativeId = session.sessionId
    expect(stored[0]).toMatchObject({ type: 'session_start', nativeId, cwd: setup.cwd })
    const about = { model: 'fake-sonnet', contextWindow: 200_000 }
    expect(ofType(stored, 'session_update')[0]).toMatchObject(about)
    expect(ofType(stored, 'agent_end')).toMatchObject([{ stopReason: 'stop' }])
    expect(ofType(stored, 'usage_update').at(-1)?.totals.costUsd).toBeGreaterThan(0)
    expect(stored.at(-1)).toMatchObject({ type: 'agent_end' })
    const subjects = published.map(({ subject }) => subject)
    expect(subjects.filter((subject) => subject === 'session.event')).toHaveLength(stored.length)
    const complete = published.find(({ subject }) => subject === PiSdkSubjects.agent_complete)
    expect(complete).toMatchObject({ payload: { text: 'Hello from the model.', sessionId: 's' } })
    expect(errors).toEqual([])
  })

  test('is published in Pi’s own format too: every event, whole', async () => {
    const { run, session, published } = await open()
    const own: string[] = []
    session.subscribe((event) => void own.push(JSON.stringify({ ...event, sessionId: 's' })))
    await run('tool')
    const native = published.filter(({ subject }) => subject === PiSdkSubjects['sdk.event'])
    expect(own.length).toBeGreaterThan(10)
    expect(native.map(({ payload }) => JSON.stringify(payload))).toEqual(own)
  })

  const scenarios = ['thinking', 'tool', 'parallel', 'tool-fail', 'retry-midstream', 'unicode']
  test.each(scenarios)('the copy of %s decodes like the original', async (scenario) => {
    const { run, session, stored } = await open()
    const decoder = createPiDecoder()
    const whole: AgentEvent[] = []
    const decode = (event: object) => decoder.push(JSON.parse(JSON.stringify(event)))
    session.subscribe((event) => void whole.push(...decode(event)))
    await run(scenario)
    const copied = stored.map(({ seq, timestamp, sessionId, ...event }) => event)
    expect(meaning(copied)).toEqual(meaning(whole))
  })

  test('can be aborted and prompted again', async () => {
    const { session, run, stored, attached, grown } = await open()
    const prompt = session.prompt('scenario:slow please')
    await grown
    await session.abort()
    await prompt
    await attached.settled()
    expect(ofType(stored, 'agent_end')).toMatchObject([{ stopReason: 'aborted' }])
    await run('text')
    expect(ofType(stored, 'agent_end')).toHaveLength(2)
  })

  test('closes its run when it is detached; Pi itself continues', async () => {
    const { session, stored, attached, grown } = await open()
    const prompt = session.prompt('scenario:slow please')
    await grown
    await attached.detach()
    expect(ofType(stored, 'agent_end')).toMatchObject([{ interrupted: true }])
    const before = [...stored]
    await session.abort()
    await prompt
    expect(stored).toEqual(before)
  })

  test('is not affected by a subscriber that throws', async () => {
    const { bus, run, session, reports } = await open()
    bus.on(PiSdkSubjects.text_delta, () => {
      throw new Error('mine')
    })
    await run('text')
    expect(session.getLastAssistantText()).toBe('Hello from the model.')
    expect(reports[0]).toMatchObject({ code: 'handler_failed' })
  })

  test('publishes nothing when the log fails, and Pi continues', async () => {
    const append = async () => Promise.reject(new Error('disk full'))
    const { run, session, errors, published } = await open({ attach: { append } })
    await run('text')
    expect(session.getLastAssistantText()).toBe('Hello from the model.')
    expect(errors).toMatchObject([{ message: 'disk full' }])
    expect(published.filter(({ subject }) => !subject.endsWith('.sdk.event'))).toEqual([])
  })

  test('reports an event that cannot be copied', async () => {
    const errors: unknown[] = []
    const subscribe = (listener: (event: object) => void) => {
      listener({ type: 'unknown_event', size: 1n })
      return () => {}
    }
    const { bus } = await open()
    const onError = (cause: unknown) => errors.push(cause)
    await attachPiSession({ sessionId: 'p', subscribe }, { bus, onError }).detach()
    expect(errors).toHaveLength(1)
  })

  describe('requests approval before a tool runs', () => {
    const resultOf = (stored: readonly StampedEvent[]) =>
      ofType(stored, 'tool_result').map(({ message }) => message)

    test('a tool that is allowed runs; the request names the call', async () => {
      const approver = vi.fn<Approver>(() => ({ action: 'allow' }))
      const { run, session, stored } = await open({ approver })
      await run('tool')
      expect(approver.mock.calls.map(([request]) => request)).toMatchObject([
        {
          ...{ adapterId: 'piSdk', adapterName: 'piSdk', agentId: 'pi', sessionId: 's' },
          adapterSessionId: session.sessionId,
          toolName: 'bash',
          toolCallId: ofType(stored, 'tool_call')[0]?.toolCallId,
          args: { command: 'echo hello' },
        },
      ])
      expect(resultOf(stored)).toMatchObject([{ isError: false, content: [{ text: 'hello\n' }] }])
      expect(ofType(stored, 'approval_request')).toHaveLength(1)
      expect(ofType(stored, 'approval_resolved')).toMatchObject([{ outcome: 'answered' }])
    })

    test('the model gets the reason for a denial', async () => {
      const approver: Approver = () => ({ action: 'deny', message: 'Not today.' })
      const { run, stored } = await open({ approver })
      await run('tool')
      expect(resultOf(stored)).toMatchObject([{ isError: true, content: [{ text: 'Not today.' }] }])
    })

    test('an allowed tool runs with the input from the decision', async () => {
      const updatedInput = { command: 'echo rewritten > rewritten.txt' }
      const { run, stored } = await open({ approver: () => ({ action: 'allow', updatedInput }) })
      await run('tool')
      expect(existsSync(join(setup.cwd, 'rewritten.txt'))).toBe(true)
      expect(ofType(stored, 'approval_resolved')).toMatchObject([{ updatedInput }])
    })

    test('a command that is allowed for the session needs no second approval', async () => {
      const remember = { scope: 'session', rule: { tool: 'bash', pattern: 'echo *' } } as const
      const approver = vi.fn<Approver>(() => ({ action: 'allow', remember }))
      const { run, stored } = await open({ approver })
      for (const name of ['tool', 'tool']) await run(name)
      expect(approver).toHaveBeenCalledOnce()
      const outcomes = ofType(stored, 'approval_resolved').map(({ outcome }) => outcome)
      expect(outcomes).toEqual(['answered', 'policy'])
    })

    const never = () => Promise.withResolvers<never>().promise
    const fails = () => Promise.reject(new Error('no idea'))
    const late = { approver: never, approvals: { deadlineMs: 20 } }
    const refused: [string, Wanted, string, string][] = [
      ['nothing responds', { approvals: { agentId: 'me' } }, 'policy', 'nothing on the bus'],
      ['the answer is late', late, 'expired', 'nobody answered in time'],
      ['the responder fails', { approver: fails }, 'policy', 'no idea'],
    ]
    test.each(refused)('a call is denied when %s', async (_, wanted, outcome, reason) => {
      const { run, stored } = await open(wanted)
      await run('tool')
      expect(ofType(stored, 'approval_resolved')).toMatchObject([{ action: 'deny', outcome }])
      expect(resultOf(stored)[0]?.isError).toBe(true)
      expect(JSON.stringify(resultOf(stored))).toContain(reason)
    })

    /** A run that waits for an answer which never comes. */
    const waiting = async () => {
      const requested = Promise.withResolvers<AbortSignal>()
      const approver: Approver = (_, { signal }) => {
        requested.resolve(signal)
        return never()
      }
      const opened = await open({ approver })
      const prompt = opened.session.prompt('scenario:tool please')
      return { ...opened, prompt, signal: await requested.promise }
    }

    test('a call is denied when the bus closes', async () => {
      const { bus, prompt, attached, stored } = await waiting()
      await bus.close()
      await prompt
      await attached.settled()
      expect(ofType(stored, 'approval_resolved')).toMatchObject([{ outcome: 'cancelled' }])
      expect(JSON.stringify(resultOf(stored))).toContain('the bus is closed')
    })

    test('abort while a request is open ends the request and the run', async () => {
      const { session, prompt, signal, attached, stored } = await waiting()
      await session.abort()
      await prompt
      await attached.settled()
      expect(signal.aborted).toBe(true)
      expect(ofType(stored, 'approval_resolved')).toMatchObject([{ outcome: 'cancelled' }])
      expect(ofType(stored, 'agent_end')).toMatchObject([{ stopReason: 'aborted' }])
    })

    test('a request that is open when the session is detached is closed in the log', async () => {
      const { session, prompt, attached, stored } = await waiting()
      await attached.detach()
      expect(ofType(stored, 'approval_resolved')).toMatchObject([{ outcome: 'agent_gone' }])
      await session.abort()
      await prompt
    })
  })
})

/** Texts and outputs joined, because their deltas may differ; without what Sluice adds. */
const meaning = (events: readonly AgentEvent[]): unknown[] => {
  const other = /^(session_|usage_update|turn_state|message_update|tool_execution_update)/
  const output = ofType(events, 'tool_execution_update').map(({ outputDelta }) => outputDelta)
  const rest = events.filter(({ type }) => !other.test(type))
  return [textOf(events), deltasOf(events).join(''), output.join(''), ...rest]
}
