import type { AgentCommand } from '../../events/types.ts'
import { defined, type Fields, fieldsOf, listOf, stringOf, stringsOf } from '../../shared/fields.ts'
import { agentCommandOf, agentCommands } from '../agent-commands.ts'

/**
 * What a person can call by name. The `init` line of every turn has the names, and the reply to
 * `initialize` describes them.
 */
export interface CommandList {
  /** The list after an `init` line; undefined if the line has none. */
  named(line: Fields): AgentCommand[] | undefined
  /** The list after the reply to `initialize`; undefined if it is the reply to something else. */
  described(reply: Fields): AgentCommand[] | undefined
}

export const createCommandList = (): CommandList => {
  const descriptions = new Map<string, AgentCommand>()
  /** The last `init` line with names: only it says which of them are skills. */
  let lastNames: Fields | undefined
  const keyOf = ({ kind, name }: AgentCommand) => `${kind === 'agent' ? '@' : '/'}${name}`

  const entry = (kind: AgentCommand['kind'], name: string): AgentCommand => {
    const { description, hint } = descriptions.get(keyOf({ kind, name })) ?? {}
    return { name, kind, ...defined({ description, hint }) }
  }

  const listIn = (line: Fields): AgentCommand[] => {
    const skills = new Set(stringsOf(line.skills))
    const inTerminal = new Set(stringsOf(line.terminal_slash_commands))
    const commands = stringsOf(line.slash_commands)
      .filter((name) => !inTerminal.has(name) && !isInternal(name))
      .map((name) => entry(skills.has(name) ? 'skill' : 'command', name))
    return agentCommands([...commands, ...agentNames(line).map((name) => entry('agent', name))])
  }

  return {
    named(line) {
      if (!Array.isArray(line.slash_commands)) return undefined
      lastNames = line
      return listIn(line)
    },
    described(reply) {
      if (!Array.isArray(reply.commands)) return undefined
      const entries = [
        ...listOf(reply.commands).map((each) => agentCommandOf('command', fieldsOf(each))),
        ...listOf(reply.agents).map((each) => agentCommandOf('agent', fieldsOf(each))),
      ]
      for (const each of entries) descriptions.set(keyOf(each), each)
      if (lastNames) return listIn(lastNames)
      return agentCommands(entries.filter(({ name }) => !isInternal(name)))
    },
  }
}

/** Commands of the program for itself. */
const isInternal = (name: string): boolean => name.startsWith('__')

const agentNames = ({ agents }: Fields): string[] =>
  listOf(agents).flatMap((each) => stringOf(each) ?? stringOf(fieldsOf(each).name) ?? [])
