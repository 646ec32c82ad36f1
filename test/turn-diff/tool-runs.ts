import { expect } from 'vitest'
import type { AgentEvent } from '../../src/events/types.ts'
import type { Project } from './project.ts'

/** Reads the diff of a turn with these events, in a directory without git. */
export const readDiffOf = async (project: Project, events: readonly AgentEvent[], cwd?: string) => {
  const stamped = await project.append(...events)
  const start = stamped.findLast(({ type }) => type === 'agent_start')
  if (!start) throw new Error('no run')
  await project.diffs().startTurn('s', cwd ?? project.cwd, start)
  const diff = await project.read(cwd)
  expect(diff).toMatchObject({ source: 'tools', reason: 'no_work_tree', since: start.timestamp })
  return diff
}

export interface Call {
  name: string
  input: unknown
  details?: unknown
}

/** A run with tool calls that all succeed. */
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
