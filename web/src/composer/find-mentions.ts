import { isMentionable, mentionOf } from '../../../src/events/mention.ts'
import type { AgentCommand } from '../../../src/events/types.ts'

/** What can stand in place of the word before the cursor. */
export interface FoundMentions {
  /** Where the word begins. */
  readonly from: number
  readonly choices: readonly Mention[]
}

export interface Mention {
  /** What is inserted, such as `/review` or `@agent-Explore`. */
  readonly text: string
  readonly command: AgentCommand
}

/** So many are offered; more letters find the others. */
const maxChoices = 50

/** Finds commands and skills at the start of a message, and subagents anywhere. */
export const findMentions = (
  before: string,
  commands: readonly AgentCommand[],
): FoundMentions | undefined => {
  const [word] = /^\/\S*$|(?<!\S)@\S*$/.exec(before) ?? []
  if (word === undefined) return undefined
  const typed = word.toLowerCase()
  const choices = commands
    .filter(isMentionable)
    .map((command) => ({ text: mentionOf(command), command }))
    .filter(({ text, command }) => text.toLowerCase().startsWith(typed) || isNamed(command, typed))
    .sort((one, other) => one.text.localeCompare(other.text))
    .slice(0, maxChoices)
  const isComplete = choices.length === 1 && choices[0]?.text === word
  if (choices.length === 0 || isComplete) return undefined
  return { from: before.length - word.length, choices }
}

/** A subagent is found by its own name, too; a skill such as `/skill:deploy` by its last part. */
const isNamed = ({ kind, name }: AgentCommand, typed: string): boolean => {
  const letters = typed.slice(1)
  const isAgent = typed.startsWith('@')
  if (letters === '' || isAgent !== (kind === 'agent')) return false
  const lower = name.toLowerCase()
  return lower.startsWith(letters) || lower.includes(`:${letters}`)
}
