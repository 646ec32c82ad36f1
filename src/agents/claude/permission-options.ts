import type { DecisionOption } from '../../events/types.ts'
import { type Fields, fieldsOf, listOf, stringOf, stringsOf } from '../../shared/fields.ts'

/** What a person can choose for a permission request: once, as the agent suggests for later, or not. */
export const permissionOptions = (request: Fields): DecisionOption[] => [
  { id: 'allow', label: 'Allow', kind: 'allow_once' },
  ...listOf(request.permission_suggestions).flatMap(suggestedOption),
  { id: 'deny', label: 'Deny', kind: 'reject_once' },
  { id: 'deny-and-stop', label: 'Deny and stop', kind: 'stop' },
]

/** A suggestion that would not allow anything is left out: a denial cannot have one. */
const suggestedOption = (suggestion: unknown, index: number): DecisionOption[] => {
  const label = labelOf(fieldsOf(suggestion))
  if (label === undefined) return []
  return [{ id: `suggestion-${index}`, label, kind: 'allow_always', update: suggestion }]
}

const labelOf = (suggestion: Fields): string | undefined => {
  const where = places.get(stringOf(suggestion.destination) ?? '') ?? 'from now on'
  switch (suggestion.type) {
    case 'addRules':
    case 'replaceRules':
      if (suggestion.behavior !== 'allow') return undefined
      return `Always allow ${rulesOf(suggestion)} ${where}`
    case 'addDirectories':
      return `Allow access to ${stringsOf(suggestion.directories).join(', ')} ${where}`
    case 'setMode':
      return `Allow, and switch to the mode ${stringOf(suggestion.mode) ?? ''} ${where}`
    default:
      return undefined
  }
}

const rulesOf = ({ rules }: Fields): string => listOf(rules).map(fieldsOf).map(ruleText).join(', ')

/** A rule as Claude Code writes it in its settings. */
const ruleText = ({ toolName, ruleContent }: Fields): string => {
  const tool = stringOf(toolName) ?? 'every tool'
  return typeof ruleContent === 'string' ? `${tool}(${ruleContent})` : tool
}

/** Where Claude Code stores what a person chose, and so how long it holds. */
const places = new Map([
  ['session', 'in this session'],
  ['localSettings', 'in this project (stored in .claude/settings.local.json)'],
  ['projectSettings', 'in this project, for everybody (stored in .claude/settings.json)'],
  ['userSettings', 'in all projects (stored in ~/.claude/settings.json)'],
])
