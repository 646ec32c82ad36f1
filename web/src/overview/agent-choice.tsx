import type { AgentInfo } from '../../../src/api/index.ts'
import type { Loaded } from '../lib/resource.ts'
import { ProblemMessage } from '../parts/problem-message.tsx'
import { SandboxNote } from './sandbox-note.tsx'

interface Props {
  agents: Loaded<AgentInfo[]>
  chosen: string | undefined
  onChoose: (name: string) => void
}

/** The agents to choose from. One that is not installed is disabled and says how to install it. */
export const AgentChoice = ({ agents, chosen, onChoose }: Props) => (
  <fieldset className="agent-choice">
    <legend>Agent</legend>
    <ProblemMessage title="Could not load the agents" reason={agents.error} />
    {!agents.value && agents.isLoading && <p>Checking which agents are installed…</p>}
    {agents.value?.map((agent) => (
      <label key={agent.name} className={agent.isInstalled ? 'choice' : 'choice choice-off'}>
        <input
          type="radio"
          name="agent"
          value={agent.name}
          checked={agent.name === chosen}
          disabled={!agent.isInstalled}
          onChange={() => onChoose(agent.name)}
        />
        <span>{agent.title}</span>
        <span className="choice-about">{noteOf(agent)}</span>
      </label>
    ))}
    <SandboxNote sandbox={agents.value?.[0]?.sandbox} />
  </fieldset>
)

const noteOf = ({ isInstalled, isBuiltIn, version, hint }: AgentInfo): string | undefined => {
  if (isInstalled) return isBuiltIn ? 'Built in, no API key needed' : version
  return hint === undefined ? 'Not installed' : `Not installed: ${hint.replaceAll('`', '')}`
}
