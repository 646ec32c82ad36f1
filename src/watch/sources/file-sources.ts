import { claudeSource } from './claude.ts'
import { codexSource } from './codex.ts'
import { copilotSource } from './copilot.ts'
import type { FileSource } from './file-source.ts'
import { geminiSource } from './gemini.ts'
import { piSource } from './pi.ts'
import { qwenSource } from './qwen.ts'

/** The agents whose session files can be read. */
export const fileSources: readonly FileSource[] = [
  ...[claudeSource, piSource, codexSource, geminiSource, qwenSource, copilotSource],
]

/** All whose sessions can be read: those of OpenCode are in a database. */
export const importedAgents: readonly string[] = [
  ...fileSources.map(({ agent }) => agent),
  'opencode',
]
