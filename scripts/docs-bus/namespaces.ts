import { agents } from '../../src/agents/index.ts'
import * as bus from '../../src/bus/index.ts'

/** What the page of a namespace says above its subjects. */
export interface NamespacePage {
  prefix: string
  /** What a program writes for the namespace, its subjects and its schemas. */
  namespaceConstant: string
  subjectsConstant: string
  schemaRecord: string
  /** An agent, or Sluice itself. */
  kind: 'adapter' | 'core'
  /** The part of the package that it belongs to. */
  tier: 'framework' | 'core'
  /** The file that defines its subjects. */
  definedIn: string
  about: string
  schemas: bus.Schemas
}

const adapterAbout = (agent: string) =>
  `What ${agent} does. The messages are projected from the [events](../events.md). Text, thinking and messages are those of the main thread; tools and usage are those of every thread, with \`parentToolCallId\` for subagents. \`session.event\` carries the events themselves.`

/** The name of an exported constant by its value; what leads to the value where it has no name. */
const constantName = (value: unknown, path: string): string =>
  Object.entries(bus).find(([, each]) => Object.is(each, value))?.[0] ?? path

/** The page of every namespace: of the agents, then of Sluice itself. */
export const namespacePages: readonly NamespacePage[] = [
  ...Object.values(agents).map(({ name: agent, title }): NamespacePage => {
    const { namespace, subjects, schemas } = bus.adapters[agent]
    return {
      prefix: namespace,
      namespaceConstant: constantName(namespace, `adapters.${agent}.namespace`),
      subjectsConstant: constantName(subjects, `adapters.${agent}.subjects`),
      schemaRecord: constantName(schemas, `adapters.${agent}.schemas`),
      kind: 'adapter',
      tier: 'framework',
      definedIn: 'src/bus/subjects/adapter.ts',
      about: adapterAbout(title),
      schemas,
    }
  }),
  {
    prefix: bus.SessionNamespace,
    namespaceConstant: 'SessionNamespace',
    subjectsConstant: 'SessionSubjects',
    schemaRecord: 'sessionSchemas',
    kind: 'core',
    tier: 'core',
    definedIn: 'src/bus/subjects/session.ts',
    about: 'What happens to sessions, whatever their agent.',
    schemas: bus.sessionSchemas,
  },
  {
    prefix: bus.ApprovalNamespace,
    namespaceConstant: 'ApprovalNamespace',
    subjectsConstant: 'ApprovalSubjects',
    schemaRecord: 'approvalSchemas',
    kind: 'core',
    tier: 'core',
    definedIn: 'src/bus/subjects/approval.ts',
    about: 'Approvals of all sessions: those that wait for a person, and how they were decided.',
    schemas: bus.approvalSchemas,
  },
  {
    prefix: bus.AgentNamespace,
    namespaceConstant: 'AgentNamespace',
    subjectsConstant: 'AgentSubjects',
    schemaRecord: 'agentSchemas',
    kind: 'core',
    tier: 'core',
    definedIn: 'src/bus/subjects/agent.ts',
    about: 'Requests of all agents. A program that decides for every agent responds here.',
    schemas: bus.agentSchemas,
  },
]
