import { Fragment } from 'react'
import type { AgentInfo } from '../../../src/api/index.ts'
import { capabilityWords } from '../../../src/events/capability-words.ts'
import type { Loaded } from '../lib/resource.ts'
import { ProblemMessage } from '../parts/problem-message.tsx'
import { SandboxNote } from './sandbox-note.tsx'

interface Props {
  agents: Loaded<AgentInfo[]>
  chosen: string | undefined
  onChoose: (name: string) => void
}

/** The agents to choose from, with what each can do. Those that are not installed are folded. */
export const AgentChoice = ({ agents, chosen, onChoose }: Props) => {
  // An agent that only runs single prompts cannot have a session.
  const usable = agents.value?.filter(({ capabilities }) => capabilities.isLive) ?? []
  const missing = usable.filter(({ isInstalled }) => !isInstalled)
  return (
    <fieldset className="agent-choice">
      <legend>Agent</legend>
      <ProblemMessage title="Could not load the agents" reason={agents.error} />
      {!agents.value && agents.isLoading && <p>Checking which agents are installed…</p>}
      {usable
        .filter(({ isInstalled }) => isInstalled)
        .map((agent) => (
          <Fragment key={agent.name}>
            <label className="choice">
              <input
                type="radio"
                name="agent"
                value={agent.name}
                checked={agent.name === chosen}
                onChange={() => onChoose(agent.name)}
              />
              <span>{agent.title}</span>
              <span className="choice-about">{versionNote(agent)}</span>
            </label>
            {agent.name === chosen && (
              <div className="choice-about choice-more">
                <p>{capabilityWords(agent.capabilities).join(' · ')}</p>
                {agent.login !== undefined && <p>Log in on the server: {loginText(agent.login)}</p>}
              </div>
            )}
          </Fragment>
        ))}
      {missing.length > 0 && <MissingAgents agents={missing} />}
      <SandboxNote sandbox={agents.value?.[0]?.sandbox} />
    </fieldset>
  )
}

const MissingAgents = ({ agents }: { agents: readonly AgentInfo[] }) => (
  <details>
    <summary>Not installed ({agents.length})</summary>
    <ul className="missing-agents">
      {agents.map(({ name, title, hint }) => (
        <li key={name}>
          {title}: <span className="choice-about">{hint?.replaceAll('`', '')}</span>
        </li>
      ))}
    </ul>
  </details>
)

/** A sentence of an agent, as the end of one of ours. */
const loginText = (text: string): string =>
  `${text.slice(0, 1).toLowerCase()}${text.slice(1)}`.replaceAll('`', '')

/** The version, and whether it was tried. */
export const versionNote = ({ isBuiltIn, version, standing }: AgentInfo): string | undefined => {
  if (isBuiltIn) return 'Built in, no API key needed'
  if (version === undefined) return undefined
  if (standing === 'newer') return `${version}, newer than tested`
  return standing === 'older' ? `${version}, older than tested` : version
}
