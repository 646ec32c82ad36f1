import { Fragment } from 'react'
import type { AgentInfo } from '../../../src/api/index.ts'
import type { Loaded } from '../lib/resource.ts'
import { versionNote } from '../overview/agent-choice.tsx'
import { ProblemMessage } from '../parts/problem-message.tsx'
import { SuggestedField } from '../parts/suggested-field.tsx'

interface Props {
  agents: Loaded<AgentInfo[]>
  chosen: readonly string[]
  onChange: (names: readonly string[]) => void
  /** The model of each agent, by its name. */
  models: Readonly<Record<string, string>>
  onModels: (models: Readonly<Record<string, string>>) => void
}

/** The installed agents, of which several can be chosen, with the model of each. */
export const AgentChecks = ({ agents, chosen, onChange, models, onModels }: Props) => {
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
      {usable.map((agent) => (
        <Fragment key={agent.name}>
          <label className="choice">
            <input
              type="checkbox"
              checked={chosen.includes(agent.name)}
              onChange={(event) => toggle(agent.name, event.target.checked)}
            />
            <span>{agent.title}</span>
            <span className="choice-about">{versionNote(agent)}</span>
          </label>
          {chosen.includes(agent.name) && (
            <div className="choice-more">
              <SuggestedField
                label={`Model of ${agent.title}`}
                hint="optional"
                value={models[agent.name] ?? ''}
                suggestions={agent.models ?? []}
                onChange={(model) => onModels({ ...models, [agent.name]: model })}
                placeholder="Default model of the agent"
              />
            </div>
          )}
        </Fragment>
      ))}
    </fieldset>
  )
}
