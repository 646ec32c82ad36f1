import type { ApprovalDecision } from '../../session/conversation/approvals.ts'
import type { Ask, Request } from './ask.ts'
import { argumentLines, plain } from './lines.ts'

/** May a tool run? */
export const askTool = (toolName: string, { args }: Request): Ask => ({
  title: `Allow ${plain(toolName)}?`,
  lines: argumentLines(args),
  keys: 'y yes · n no · a yes, for the whole session · or what to do instead, in your own words',
  read: (line) =>
    isKey(line, 'a') ? { action: 'allow', remember: 'tool', by: 'person' } : verdictIn(line),
})

/** May the agent go on? The next time it is about something else: no answer is for the session. */
export const askToGoOn = (title: string, { args }: Request): Ask => ({
  title,
  lines: argumentLines(args),
  keys: 'y yes · n no · or what to do instead, in your own words',
  read: verdictIn,
})

/** Yes or no; undefined where a line is neither. */
export const yesOrNo = (line: string): ApprovalDecision | undefined => {
  if (isKey(line, 'y') || isKey(line, 'yes')) return { action: 'allow', by: 'person' }
  if (isKey(line, 'n') || isKey(line, 'no')) return { action: 'deny', by: 'person' }
  return undefined
}

/** Words are a no that the agent is told. One letter is no word: somebody missed the key. */
const verdictIn = (line: string): ApprovalDecision | undefined => {
  const decided = yesOrNo(line)
  if (decided || line.length < 2) return decided
  return { action: 'deny', message: line, by: 'person' }
}

const isKey = (line: string, key: string): boolean => line.toLowerCase() === key
