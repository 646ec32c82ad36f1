import type { McpServer } from '../../events/types.ts'
import { defined } from '../../shared/fields.ts'
import { fileAsText } from '../attached-files.ts'
import type { ConnectOptions, PromptFile, PromptImage } from '../live.ts'
import { type ModeSettings, modeSettings } from './modes.ts'

/** The request that starts, resumes or forks the thread of a process. */
export const threadParams = (options: ConnectOptions): { method: string; params: object } => {
  const { resume, fork, forkAt } = options
  const params = settingsOf(options)
  if (resume === undefined) return { method: 'thread/start', params }
  const existing = { ...params, threadId: resume, excludeTurns: true }
  return fork
    ? { method: 'thread/fork', params: { ...existing, ...defined({ lastTurnId: forkAt }) } }
    : { method: 'thread/resume', params: existing }
}

/** The mode that a session starts in; undefined if the person’s own configuration decides. */
export const startModeOf = ({ start = {}, requestApprovals }: ConnectOptions) => {
  const mode = start.mode ?? (requestApprovals ? 'untrusted' : undefined)
  return mode === undefined ? undefined : modeSettings(mode)
}

const settingsOf = (options: ConnectOptions): object => {
  const { cwd, model, start = {} } = options
  const mode = startModeOf(options)
  const config = defined({
    'sandbox_workspace_write.writable_roots': start.directories,
    mcp_servers: start.mcpServers && serversOf(start.mcpServers),
  })
  return {
    cwd,
    // A thread that starts with more makes Codex trust the project for good, without asking, and run
    // its MCP servers. The sandbox of the mode comes with the first turn.
    ...(mode && { approvalPolicy: mode.approvalPolicy, sandbox: 'read-only' }),
    ...defined({
      model,
      baseInstructions: start.systemPrompt,
      developerInstructions: start.appendSystemPrompt,
    }),
    ...(Object.keys(config).length > 0 && { config }),
  }
}

const serversOf = (servers: Readonly<Record<string, McpServer>>): object =>
  Object.fromEntries(
    Object.entries(servers).map(([name, server]) => [
      name,
      'command' in server ? server : { url: server.url, http_headers: server.headers ?? {} },
    ]),
  )

/** The sandbox of a turn, which has another form than that of a thread. */
export const sandboxPolicyOf = (sandbox: ModeSettings['sandbox']): object => {
  if (sandbox === 'danger-full-access') return { type: 'dangerFullAccess' }
  if (sandbox === 'read-only') return { type: 'readOnly', networkAccess: false }
  return {
    type: 'workspaceWrite',
    writableRoots: [],
    networkAccess: false,
    excludeTmpdirEnvVar: false,
    excludeSlashTmp: false,
  }
}

interface TurnInput {
  text: string
  images?: PromptImage[]
  files?: PromptFile[]
}

/** A prompt as the input of a turn. */
export const inputOf = ({ text, images = [], files = [] }: TurnInput) => [
  { type: 'text', text, text_elements: [] },
  ...files.map((file) => ({ type: 'text', text: fileAsText(file), text_elements: [] })),
  ...images.map(({ data, mimeType }) => ({
    type: 'image',
    url: `data:${mimeType};base64,${data}`,
  })),
]
