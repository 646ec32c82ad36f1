import type { AgentInfo } from '../../../src/api/index.ts'
import type { Loaded } from '../lib/resource.ts'

interface Props {
  agents: Loaded<AgentInfo[]>
  chosen: string | undefined
  onChoose: (name: string) => void
}

/** Which agent; those that are not installed say how to get them. */
export const AgentChoice = ({ agents, chosen, onChoose }: Props) => (
  <fieldset className="agent-choice">
    <legend>Agent</legend>
    {agents.error !== undefined && (
      <p className="error-words">Could not load the agents: {agents.error}</p>
    )}
    {!agents.value && agents.isLoading && <p>Checking which agents are installed…</p>}
    {agents.value?.map(({ name, title, isInstalled, version, isBuiltIn, hint }) => (
      <label key={name} className={isInstalled ? 'choice' : 'choice choice-off'}>
        <input
          type="radio"
          name="agent"
          value={name}
          checked={name === chosen}
          disabled={!isInstalled}
          onChange={() => onChoose(name)}
        />
        <span>{title}</span>
        <span className="choice-about">
          {isInstalled
            ? isBuiltIn
              ? 'Built in, no API key needed'
              : version
            : ['Not installed', hint].filter(Boolean).join(': ').replaceAll('`', '')}
        </span>
      </label>
    ))}
  </fieldset>
)
