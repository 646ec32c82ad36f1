import { adapterSchemas } from './adapter.ts'
import { subjectsOf } from './define.ts'

/** The namespace of Claude Code. */
export const ClaudeCliNamespace = 'adapter:claudeCli'
/** Every subject of Claude Code with its schemas. */
export const claudeCliSchemas = adapterSchemas('Claude Code')
/** The whole names of Claude Code’s subjects. */
export const ClaudeCliSubjects = subjectsOf(ClaudeCliNamespace, claudeCliSchemas)
