import { createSandbox } from '../../agents/sandbox.ts'
import { agentProgram } from '../../support/agent-program.ts'
import { type SluiceServer, startSluice } from './server.ts'

/** A call that the agent requests; `input` may be as hostile as a test wants. */
export interface RequestedCall {
  name: string
  input: unknown
  /** The arguments in the request, if they differ from those of the call. */
  requested?: unknown
  /** The output of the call. */
  output?: string
  /** What the agent offers to store, as Claude Code’s `permission_suggestions`. */
  suggestions?: readonly object[]
  /** Whether the call needs no approval. */
  isFree?: boolean
}

/** A server whose Claude Code requests whatever calls a test names. */
export interface AskingServer extends SluiceServer {
  /** Runs a prompt in a new session, such as one with fields for the agent’s `init` line. */
  run(name: string, prompt: { init?: object; calls?: readonly RequestedCall[] }): Promise<string>
  /** Lets the agent request calls in a new session. Resolves when they wait for approvals. */
  request(name: string, ...calls: RequestedCall[]): Promise<string>
}

export const startAskingServer = async (): Promise<AskingServer> => {
  const sandbox = createSandbox('asking-agent')
  const script = new URL('../../support/asking-agent.js', import.meta.url).pathname
  const program = agentProgram({ ...sandbox, argv: [process.execPath, script] })
  const server = await startSluice({ env: { CLAUDE_BIN: program } })
  return {
    ...server,
    async run(name, prompt) {
      const { id } = await server.createSession(name, 'claude', 'claude-opus-5-5')
      await server.client.sessions.prompt(id, JSON.stringify(prompt))
      return id
    },
    async request(name, ...calls) {
      const { id } = await server.createSession(name, 'claude', 'claude-opus-5-5')
      await server.client.sessions.prompt(id, JSON.stringify({ calls }))
      let waiting = 0
      for await (const event of server.client.sessions.stream(id, { after: 0 })) {
        if (event.type === 'approval_request') waiting += 1
        if (waiting === calls.filter(({ isFree }) => !isFree).length) break
      }
      return id
    },
    async close() {
      await server.close()
      sandbox.remove()
    },
  }
}
