import type { AgentInfo } from '../../../src/api/index.ts'
import type { Loaded } from '../lib/resource.ts'
import { ProblemMessage } from '../parts/problem-message.tsx'

interface Props {
  agents: Loaded<AgentInfo[]>
  chosen: readonly string[]
  onChange: (names: readonly string[]) => void
}

/** The installed agents, of which several can be chosen. */
export const AgentChecks = ({ agents, chosen, onChange }: Props) => {
  const usable =
    agents.value?.filter(({ isInstalled, capabilities }) => isInstalled && capabilities.isLive) ??
    []
  const toggle = (name: string, isChosen: boolean) =>
    onChange(isChosen ? [...chosen, name] : chosen.filter((each) => each !== name))
  return (
    <fieldset className="agent-choice">
      <legend>Agents</legend>
      <ProblemMessage title="Could not load the agents" reason={agents.error} />
      {!agents.value && agents.isLoading && <p>Checking which agents are installed…</p>}
      {usable.map(({ name, title, version }) => (
        <label className="choice" key={name}>
          <input
            type="checkbox"
            checked={chosen.includes(name)}
            onChange={(event) => toggle(name, event.target.checked)}
          />
          <span>{title}</span>
          <span className="choice-about">{version}</span>
        </label>
      ))}
    </fieldset>
  )
}
