import { acpEntry } from './acp/entry.ts'
import type { AgentEntry } from './agent.ts'
import { claudeEntry } from './claude/entry.ts'
import { clineEntry } from './cline/entry.ts'
import { codexEntry } from './codex/entry.ts'
import { copilotEntry } from './copilot/entry.ts'
import { demoEntry } from './demo/entry.ts'
import { geminiEntry } from './gemini/entry.ts'
import { openCodeEntry } from './opencode/entry.ts'
import { piEntry } from './pi/entry.ts'
import { qwenEntry } from './qwen/entry.ts'
import { textEntry } from './text/entry.ts'

/** The agents that come with Sluice. A new one is a folder and its line here. */
export const agents = {
  pi: piEntry,
  claude: claudeEntry,
  codex: codexEntry,
  opencode: openCodeEntry,
  gemini: geminiEntry,
  copilot: copilotEntry,
  cline: clineEntry,
  qwen: qwenEntry,
  acp: acpEntry,
  text: textEntry,
  demo: demoEntry,
} as const satisfies Record<string, AgentEntry>
