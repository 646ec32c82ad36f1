import { expect } from 'vitest'
import { connectAcp } from '../../src/agents/acp/connection.ts'
import type { CommandReply, ConnectOptions } from '../../src/agents/live.ts'
import type { AgentEvent } from '../../src/events/types.ts'
import { type Fields, fieldsOf } from '../../src/shared/fields.ts'
import { acpLineCheck } from './acp-schema.ts'

/** A connection whose other side is the test. Each line that it writes must fit the official schema. */
export const connectRig = (options: Partial<ConnectOptions> = {}, login?: string) => {
  const written: Fields[] = []
  const replies: CommandReply[] = []
  const events: AgentEvent[] = []
  const problemsOf = acpLineCheck()
  const connection = connectAcp(
    { agent: 'acp', title: 'Agent', login },
    {
      cwd: '/project',
      write(lines) {
        written.push(...lines.map(fieldsOf))
        for (const line of lines)
          expect(problemsOf(line, 'client'), JSON.stringify(line)).toEqual([])
      },
      emit: (more) => events.push(...more),
      onReply: (reply) => replies.push(reply),
      ...options,
    },
  )
  const receive = (line: object) => {
    const whole = { jsonrpc: '2.0', ...line }
    problemsOf(whole, 'agent')
    events.push(...connection.decoder.push(whole))
  }
  const last = () => written.at(-1) ?? {}
  const answer = (result: object) => receive({ id: last().id, result })
  connection.open()
  return { connection, written, replies, events, receive, answer, last }
}

/** The answer to `initialize`. */
export const initialized = (capabilities: object = {}, name = 'Some agent') => ({
  protocolVersion: 1,
  agentCapabilities: capabilities,
  agentInfo: { name, version: '1.2.3' },
  authMethods: [{ id: 'login', name: 'Log in', description: 'Run `agent login`' }],
})

/** A connection with an open session. */
export const readyRig = (options: Partial<ConnectOptions> = {}, name?: string) => {
  const rig = connectRig(options)
  rig.answer(initialized({ promptCapabilities: { image: true } }, name))
  rig.answer({ sessionId: 's1' })
  return rig
}
