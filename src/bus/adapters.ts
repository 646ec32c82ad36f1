import type { AgentEntry } from '../agents/agent.ts'
import { readerOfAgent } from '../agents/known-agents.ts'
import { agents } from '../agents/table.ts'
import { type AdapterSchemas, adapterSchemas } from './subjects/adapter.ts'
import { type SubjectNames, subjectsOf } from './subjects/define.ts'

type Agents = typeof agents

/** What the agents are called on the bus. */
export type AdapterName = Agents[keyof Agents]['adapter']

/** An agent on the bus. */
export interface Adapter<Name extends string = AdapterName> {
  /** What the agent is called on the bus. */
  readonly name: Name
  /** The prefix of its subjects. */
  readonly namespace: `adapter:${Name}`
  /** The full names of its subjects. */
  readonly subjects: SubjectNames<`adapter:${Name}`, AdapterSchemas>
  /** Its subjects with their schemas. */
  readonly schemas: AdapterSchemas
}

/** The namespaces of the agents. */
export type AdapterNamespace = Adapter['namespace']

type AdapterTable = { readonly [Name in keyof Agents]: Adapter<Agents[Name]['adapter']> }

/** The adapter of each agent, made from its entry in the table of agents. */
export const adapters: AdapterTable = adaptersOf(agents)

const byAgent: ReadonlyMap<string, Adapter> = new Map(Object.entries(adapters))

/** The adapter of an agent. Configured agents share that of ACP. */
export const adapterOf = (agent: string): Adapter | undefined =>
  byAgent.get(readerOfAgent(agent)?.name ?? agent)

/** The constants of `adapter:piSdk`, under the names that its specification gives them. */
export const PiSdkNamespace = adapters.pi.namespace
export const PiSdkSubjects = adapters.pi.subjects
export const piSdkSchemas = adapters.pi.schemas

/** The constants of `adapter:claudeCli`. */
export const ClaudeCliNamespace = adapters.claude.namespace
export const ClaudeCliSubjects = adapters.claude.subjects
export const claudeCliSchemas = adapters.claude.schemas

/** The constants of `adapter:geminiCli`. */
export const GeminiCliNamespace = adapters.gemini.namespace
export const GeminiCliSubjects = adapters.gemini.subjects
export const geminiCliSchemas = adapters.gemini.schemas

/** The constants of `adapter:acp`. */
export const AcpNamespace = adapters.acp.namespace
export const AcpSubjects = adapters.acp.subjects
export const acpSchemas = adapters.acp.schemas

/** The constants of `adapter:copilotCli`. */
export const CopilotCliNamespace = adapters.copilot.namespace
export const CopilotCliSubjects = adapters.copilot.subjects
export const copilotCliSchemas = adapters.copilot.schemas

/** The constants of `adapter:clineCli`. */
export const ClineCliNamespace = adapters.cline.namespace
export const ClineCliSubjects = adapters.cline.subjects
export const clineCliSchemas = adapters.cline.schemas

/** The constants of `adapter:qwenCode`. */
export const QwenCodeNamespace = adapters.qwen.namespace
export const QwenCodeSubjects = adapters.qwen.subjects
export const qwenCodeSchemas = adapters.qwen.schemas

/** The constants of `adapter:openCode`. */
export const OpenCodeNamespace = adapters.opencode.namespace
export const OpenCodeSubjects = adapters.opencode.subjects
export const openCodeSchemas = adapters.opencode.schemas

/** The constants of `adapter:text`. */
export const TextNamespace = adapters.text.namespace
export const TextSubjects = adapters.text.subjects
export const textSchemas = adapters.text.schemas

/** The constants of `adapter:codex`. */
export const CodexNamespace = adapters.codex.namespace
export const CodexSubjects = adapters.codex.subjects
export const codexSchemas = adapters.codex.schemas

/** The constants of `adapter:demo`. */
export const DemoNamespace = adapters.demo.namespace
export const DemoSubjects = adapters.demo.subjects
export const demoSchemas = adapters.demo.schemas

// An overload, because the compiler loses the literal types in `Object.entries`.
function adaptersOf(entries: typeof agents): AdapterTable
function adaptersOf(
  entries: Readonly<Record<string, AgentEntry>>,
): Record<string, Adapter<string>> {
  return Object.fromEntries(
    Object.entries(entries).map(([agent, { adapter: name, title }]) => {
      const namespace = `adapter:${name}` as const
      const schemas = adapterSchemas(title)
      return [agent, { name, namespace, subjects: subjectsOf(namespace, schemas), schemas }]
    }),
  )
}
