import { type Fields, fieldsOf, listOf, stringOf } from '../../shared/fields.ts'
import { lineText } from './file-turns.ts'

/**
 * Which call started the subagent whose line is read. The files of the latest versions say it. In those
 * before them, a subagent begins with the prompt of its call. The oldest have its lines among the others.
 */
export interface Sidechains {
  /** Notes the calls in a line that start subagents. */
  note(line: Fields): void
  /** The call of a subagent’s line; undefined if no call started it. */
  callOf(line: Fields): string | undefined
}

export const createSidechains = (): Sidechains => {
  /** The prompts of calls whose subagents have not begun, by call. */
  const waiting = new Map<string, string>()
  /** The calls of subagents, by the id of the subagent. */
  const byAgent = new Map<string, string | undefined>()
  /** The calls of lines without an id of a subagent, by the id of the line. */
  const byLine = new Map<string, string | undefined>()

  /** The first call with the prompt that a line has. */
  const takeCall = (line: Fields): string | undefined => {
    const prompt = line.type === 'user' ? lineText(line) : undefined
    for (const [id, wanted] of waiting) {
      if (wanted !== prompt) continue
      waiting.delete(id)
      return id
    }
    return undefined
  }
  const find = (line: Fields): string | undefined => {
    const given = stringOf(line.parent_tool_use_id)
    if (given !== undefined) waiting.delete(given)
    const agent = stringOf(line.agentId)
    if (agent !== undefined) {
      if (given !== undefined || !byAgent.has(agent)) byAgent.set(agent, given ?? takeCall(line))
      return byAgent.get(agent)
    }
    const before = stringOf(line.parentUuid)
    const isKnown = before !== undefined && byLine.has(before)
    return given ?? (isKnown ? byLine.get(before) : takeCall(line))
  }

  return {
    note(line) {
      if (line.type !== 'assistant') return
      for (const block of listOf(fieldsOf(line.message).content).map(fieldsOf)) {
        const id = stringOf(block.id)
        const prompt = stringOf(fieldsOf(block.input).prompt)
        if (id !== undefined && prompt !== undefined && isSubagent(block)) waiting.set(id, prompt)
      }
    },
    callOf(line) {
      const call = find(line)
      const uuid = stringOf(line.uuid)
      if (uuid !== undefined && line.agentId === undefined) byLine.set(uuid, call)
      return call
    },
  }
}

const isSubagent = ({ type, name }: Fields): boolean =>
  type === 'tool_use' && (name === 'Task' || name === 'Agent')
