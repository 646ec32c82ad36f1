import type { AdapterNamespace } from './project/context.ts'
import { ClaudeCliNamespace, ClaudeCliSubjects } from './subjects/claude-cli.ts'
import { DemoNamespace, DemoSubjects } from './subjects/demo.ts'
import { PiSdkNamespace, PiSdkSubjects } from './subjects/pi-sdk.ts'
import type { RpcSubject } from './subjects/table.ts'

/** Where the messages of one kind of agent go. */
export interface Adapter {
  name: string
  namespace: AdapterNamespace
  /** Where it asks before a tool runs. */
  approval: RpcSubject
}

const adapters: Readonly<Record<string, Adapter>> = {
  pi: { name: 'piSdk', namespace: PiSdkNamespace, approval: PiSdkSubjects.tool_approval },
  claude: {
    name: 'claudeCli',
    namespace: ClaudeCliNamespace,
    approval: ClaudeCliSubjects.tool_approval,
  },
  demo: { name: 'demo', namespace: DemoNamespace, approval: DemoSubjects.tool_approval },
}

/** The adapter of an agent, by the agent’s name; undefined for one that has no namespace. */
export const adapterOf = (agent: string): Adapter | undefined =>
  Object.hasOwn(adapters, agent) ? adapters[agent] : undefined
