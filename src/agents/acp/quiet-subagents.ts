import { toolKindOf } from '../tool-calls/tool-kind.ts'
import type { AcpReader } from './reader.ts'
import type { AcpCall } from './tools.ts'

/** Names subagents that may wait for a person whom the agent does not ask. */
export interface QuietSubagents {
  /** The agent has sent something. */
  lineSeen(): void
  /** The process is gone. */
  end(): void
}

export interface QuietSubagentsOptions {
  reader: AcpReader
  /** What people call the agent. */
  title: string
  publish(): void
}

/** After so long without a line of the agent, a notice names the problem. Each subagent is named once. */
const quietMs = 60_000

export const createQuietSubagents = (options: QuietSubagentsOptions): QuietSubagents => {
  const { reader, title, publish } = options
  const named = new Set<AcpCall>()
  let timer: ReturnType<typeof setTimeout> | undefined
  const running = () =>
    reader.tools.findOpen(
      (call) =>
        call.stage === 'running' && toolKindOf(call.name) === 'subagent' && !named.has(call),
    )

  const name = () => {
    const call = running()
    if (!call) return
    named.add(call)
    reader.emit({
      type: 'session_update',
      notice: { level: 'warning', text: quietText(title) },
    })
    publish()
  }

  return {
    lineSeen() {
      if (!reader.session.dialect().hidesSubagents) return
      clearTimeout(timer)
      timer = running() ? setTimeout(name, quietMs) : undefined
    },
    end: () => clearTimeout(timer),
  }
}

const quietText = (title: string) =>
  `A subagent of ${title} has shown nothing for ${quietMs / 1000} seconds. ${title} does not forward the permission requests of subagents, so the subagent may wait for an answer that nobody can give. If it does not continue, stop the run, and set the permission of the tool to "allow" or "deny" in the settings of ${title}.`
