import type { ApprovalDecision } from '../../session/conversation/session.ts'
import type { ApprovalPrompt, ApprovalRequest } from './approval-prompt.ts'
import { argumentLines, withoutControls } from './lines.ts'

/** Asks whether a tool may run. */
export const toolPrompt = (toolName: string, { args }: ApprovalRequest): ApprovalPrompt => ({
  title: `Allow ${withoutControls(toolName)}?`,
  lines: argumentLines(args),
  keys: 'y yes · n no · a allow for this session · or type what to do instead',
  read: (line) =>
    isKey(line, 'a') ? { action: 'allow', remember: 'tool', by: 'person' } : verdictIn(line),
})

/** Asks whether the agent may continue. The answer holds once, never for the whole session. */
export const confirmPrompt = (title: string, { args }: ApprovalRequest): ApprovalPrompt => ({
  title,
  lines: argumentLines(args),
  keys: 'y yes · n no · or type what to do instead',
  read: verdictIn,
})

/** Reads yes or no; undefined when the line is neither. */
export const yesOrNo = (line: string): ApprovalDecision | undefined => {
  if (isKey(line, 'y') || isKey(line, 'yes')) return { action: 'allow', by: 'person' }
  if (isKey(line, 'n') || isKey(line, 'no')) return { action: 'deny', by: 'person' }
  return undefined
}

/** Any other text denies, and is sent to the agent as the reason. A single letter is a typo. */
const verdictIn = (line: string): ApprovalDecision | undefined => {
  const decided = yesOrNo(line)
  if (decided || line.length < 2) return decided
  return { action: 'deny', message: line, by: 'person' }
}

const isKey = (line: string, key: string): boolean => line.toLowerCase() === key
