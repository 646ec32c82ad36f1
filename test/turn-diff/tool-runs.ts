import { expect } from 'vitest'
import type { AgentEvent } from '../../src/events/types.ts'
import type { Project } from './project.ts'

/** What is told of events in a directory without git. */
export const toldOf = async (project: Project, events: readonly AgentEvent[], cwd?: string) => {
  const stamped = await project.append(...events)
  const start = stamped.findLast(({ type }) => type === 'agent_start')
  if (!start) throw new Error('no run')
  await project.diffs().startTurn('s', cwd ?? project.cwd, start)
  const answer = await project.read(cwd)
  expect(answer).toMatchObject({ source: 'tools', reason: 'no_work_tree', since: start.timestamp })
  return answer
}

export interface Call {
  name: string
  input: unknown
  details?: unknown
}

/** A run with some calls that all went well. */
export const runOf = (...calls: Call[]): AgentEvent[] => [
  { type: 'agent_start' },
  ...calls.flatMap(({ name: toolName, input, details }, index): AgentEvent[] => {
    const toolCallId = `t${index}`
    return [
      { type: 'tool_call', toolCallId, toolName, input },
      { type: 'tool_execution_start', toolCallId, toolName },
      {
        type: 'tool_result',
        message: { role: 'toolResult', toolCallId, toolName, content: [], details, isError: false },
      },
    ]
  }),
]
