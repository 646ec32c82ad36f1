import type { AgentCommand } from '../events/types.ts'
import { defined, type Fields, stringIn, stringOf } from '../shared/fields.ts'

/** Lists longer than this are cut: some agents describe hundreds of skills in every detail. */
const maxCommands = 500
const maxDescription = 200

/** A list of things that a person can call by name, without duplicates and with short texts. */
export const agentCommands = (commands: Iterable<AgentCommand>): AgentCommand[] => {
  const byName = new Map<string, AgentCommand>()
  for (const command of commands) {
    const key = `${command.kind === 'agent' ? '@' : '/'}${command.name}`
    if (command.name !== '' && byName.size < maxCommands && !byName.has(key))
      byName.set(key, command)
  }
  return [...byName.values()]
}

/** One entry of an agent’s list, with what the agent reports about it. */
export const agentCommandOf = (kind: AgentCommand['kind'], entry: Fields): AgentCommand => ({
  name: (stringOf(entry.name) ?? '').replace(/^\//, ''),
  kind,
  ...defined({
    description: shortText(stringOf(entry.description)),
    hint: shortText(stringIn(entry, 'argumentHint', 'hint') || undefined),
  }),
})

/** The first line, cut to a length that fits in a list. */
const shortText = (text: string | undefined): string | undefined => {
  const line = text?.trim().split('\n', 1)[0] ?? ''
  if (line === '') return undefined
  return line.length > maxDescription ? `${line.slice(0, maxDescription - 1)}…` : line
}
