import { fieldsOf, stringOf } from '../../shared/fields.ts'
import type { StoredOutput } from '../agent.ts'

/** Claude Code stores an output that is too long for a result in a file beside the conversation. */
export const claudeOutputFile = (details: unknown): StoredOutput | undefined => {
  const path = stringOf(fieldsOf(details).persistedOutputPath)
  return path === undefined ? undefined : { path, pattern }
}

/** Below Claude Code’s own directory, which also has credentials. */
const pattern = /^projects\/[^/]+\/[^/]+\/tool-results\/[^/]+$/
