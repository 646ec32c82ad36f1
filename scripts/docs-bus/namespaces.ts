import {
  ApprovalNamespace,
  approvalSchemas,
  ClaudeCliNamespace,
  claudeCliSchemas,
  DemoNamespace,
  demoSchemas,
  PiSdkNamespace,
  piSdkSchemas,
  type Schemas,
  SessionNamespace,
  sessionSchemas,
} from '../../src/bus/index.ts'

/** What the page of a namespace says above its subjects. */
export interface NamespacePage {
  prefix: string
  /** What the exported constants are called. */
  namespaceConstant: string
  subjectsConstant: string
  schemaRecord: string
  /** An agent’s adapter, or Sluice itself. */
  kind: 'adapter' | 'core'
  about: string
  schemas: Schemas
}

const adapterAbout = (agent: string) =>
  `What ${agent} does, for systems that subscribe. The messages are a projection of the [events](../events.md): text, thinking and messages are the main thread’s; tools and usage are everybody’s, and \`parentToolCallId\` says whose. \`session.event\` carries the events themselves.`

/** Every namespace with what its page says of it. */
export const namespacePages: readonly NamespacePage[] = [
  {
    prefix: PiSdkNamespace,
    namespaceConstant: 'PiSdkNamespace',
    subjectsConstant: 'PiSdkSubjects',
    schemaRecord: 'piSdkSchemas',
    kind: 'adapter',
    about: adapterAbout('Pi'),
    schemas: piSdkSchemas,
  },
  {
    prefix: ClaudeCliNamespace,
    namespaceConstant: 'ClaudeCliNamespace',
    subjectsConstant: 'ClaudeCliSubjects',
    schemaRecord: 'claudeCliSchemas',
    kind: 'adapter',
    about: adapterAbout('Claude Code'),
    schemas: claudeCliSchemas,
  },
  {
    prefix: DemoNamespace,
    namespaceConstant: 'DemoNamespace',
    subjectsConstant: 'DemoSubjects',
    schemaRecord: 'demoSchemas',
    kind: 'adapter',
    about: adapterAbout('the demo'),
    schemas: demoSchemas,
  },
  {
    prefix: SessionNamespace,
    namespaceConstant: 'SessionNamespace',
    subjectsConstant: 'SessionSubjects',
    schemaRecord: 'sessionSchemas',
    kind: 'core',
    about: 'What happens to sessions, whatever their agent.',
    schemas: sessionSchemas,
  },
  {
    prefix: ApprovalNamespace,
    namespaceConstant: 'ApprovalNamespace',
    subjectsConstant: 'ApprovalSubjects',
    schemaRecord: 'approvalSchemas',
    kind: 'core',
    about: 'What people must decide, and what they decided, in all sessions.',
    schemas: approvalSchemas,
  },
]
