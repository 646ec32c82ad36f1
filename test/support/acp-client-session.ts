import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { acp } from '../../src/agents/acp/index.ts'
import type { ApprovalMode, EventOf, StampedEvent } from '../../src/events/types.ts'
import type { SessionDeps } from '../../src/session/conversation/session-deps.ts'
import { type Fields, fieldsOf, isFields, listOf } from '../../src/shared/fields.ts'
import { createSandbox } from '../agents/sandbox.ts'
import { ofType, textOf } from './decoded.ts'
import { openLiveSession } from './live-session.ts'
import { root } from './sluice.ts'

/** What the agent of `acp-client-agent.js` does in a prompt, one after the other. */
export type ClientStep = readonly [string, ...unknown[]]

export interface ClientSessionOptions {
  policy?: ApprovalMode
  deps?: Partial<SessionDeps>
  /** How the agent names itself. */
  name?: string
}

/** A session with an agent that uses the files and terminals of Sluice. */
export const openClientSession = (options: ClientSessionOptions = {}) => {
  const { home, cwd, env, remove } = createSandbox('acp-client')
  const agent = { ...acp, ...(options.name && { setEnv: { ACP_TEST_NAME: options.name } }) }
  const argv = [process.execPath, join(root, 'test/support/acp-client-agent.js')]
  const session = openLiveSession({
    ...{ agent, model: '', setup: { argv, env, cwd, remove } },
    policy: options.policy ?? 'ask',
    deps: { ...options.deps },
  })
  onTestFinished(async () => {
    await session.close()
    remove()
  })

  const approval = async (from: number) => {
    const found = await session.until(({ type }) => type === 'approval_request', from)
    if (found.type !== 'approval_request') throw new Error('no approval')
    return found
  }

  return {
    ...{ session, home, cwd },
    /** The next approval request, from an index of the events on. */
    approval,
    /** Runs the steps. Returns the answers of the client, and the events. */
    async run(...steps: readonly ClientStep[]) {
      const events = await session.run(JSON.stringify(steps))
      return { events, answers: answersIn(events) }
    },
    /** Runs the steps, and answers the first approval. */
    async decide(action: 'allow' | 'deny', ...steps: readonly ClientStep[]) {
      const from = session.events.length
      const running = session.run(JSON.stringify(steps))
      const request = await approval(from)
      session.answer(request.approvalId, { action })
      const events = await running
      return { events, request, answers: answersIn(events) }
    },
  }
}

/** The answers that the agent repeats at the end. */
const answersIn = (events: readonly StampedEvent[]): { result?: Fields; error?: Fields }[] => {
  const value: unknown = JSON.parse(textOf(events) || '[]')
  return listOf(value).map((each) => {
    const { result, error } = fieldsOf(each)
    return { ...(isFields(result) && { result }), ...(isFields(error) && { error }) }
  })
}

/** The result of the only call in these events. */
export const onlyResult = (events: readonly StampedEvent[]): EventOf<'tool_result'>['message'] => {
  const [result, ...others] = ofType(events, 'tool_result')
  if (!result || others.length > 0) throw new Error('not one result')
  return result.message
}
