import type { AgentInfo } from '../../../src/api/index.ts'
import type { ModeChoice, StartOption } from '../../../src/events/types.ts'
import { useMay } from '../app/use-may.ts'
import type { TypedStart } from './typed-start.ts'
import '../style/start.css'

interface Props {
  agent: AgentInfo
  typed: TypedStart
  onChange: (typed: TypedStart) => void
  /** Whether it can work in a worktree of its own. Default: true. */
  canHaveWorktree?: boolean
}

/** Fields for how an agent starts: those that the agent has and that this browser may set. */
export const StartFields = ({ agent, typed, onChange, canHaveWorktree = true }: Props) => {
  const mayApprove = useMay('approve')
  const mayAdmin = useMay('admin')
  const has = (option: StartOption) => agent.start?.options.includes(option) === true
  const change = (part: Partial<TypedStart>) => onChange({ ...typed, ...part })
  return (
    <div className="start-fields">
      {has('mode') && mayApprove && (
        <ChoiceField
          label="Permission mode"
          value={typed.mode}
          choices={agent.capabilities.modes}
          onChange={(mode) => change({ mode })}
        />
      )}
      {has('thinkingLevel') && (
        <ChoiceField
          label="Thinking level"
          value={typed.thinkingLevel}
          choices={agent.capabilities.thinking.map((id) => ({ id }))}
          onChange={(thinkingLevel) => change({ thinkingLevel })}
        />
      )}
      {has('allowedTools') && mayApprove && (
        <LinesField
          label={allowedLabel(agent)}
          hint="one in each line"
          value={typed.allowedTools}
          onChange={(allowedTools) => change({ allowedTools })}
        />
      )}
      {has('deniedTools') && (
        <LinesField
          label="Tools that it must not use"
          hint="one in each line"
          value={typed.deniedTools}
          onChange={(deniedTools) => change({ deniedTools })}
        />
      )}
      {has('directories') && (
        <LinesField
          label="Further directories"
          hint="absolute paths, one in each line"
          value={typed.directories}
          onChange={(directories) => change({ directories })}
        />
      )}
      <PromptField has={has} typed={typed} onChange={change} />
      {has('mcpServers') && mayAdmin && (
        <LinesField
          label="MCP servers"
          hint="JSON, as in .mcp.json"
          value={typed.mcpServers}
          onChange={(mcpServers) => change({ mcpServers })}
        />
      )}
      {canHaveWorktree && (
        <WorktreeField
          isChosen={typed.hasWorktree}
          onChange={(hasWorktree) => change({ hasWorktree })}
        />
      )}
    </div>
  )
}

interface WorktreeFieldProps {
  isChosen: boolean
  onChange: (isChosen: boolean) => void
}

const WorktreeField = ({ isChosen, onChange }: WorktreeFieldProps) => (
  <label className="choice">
    <input
      type="checkbox"
      checked={isChosen}
      onChange={(event) => onChange(event.target.checked)}
    />
    <span>Work in a new git worktree</span>
    <span className="choice-about">on a branch of its own</span>
  </label>
)

const allowedLabel = ({ start }: AgentInfo): string =>
  start?.allowedToolsMeaning === 'only_these' ? 'Its only tools' : 'Tools that need no approval'

interface ChoiceFieldProps {
  label: string
  value: string
  choices: readonly ModeChoice[]
  onChange: (value: string) => void
}

/** A list to choose from; a text field if the agent lists its values only while it runs. */
const ChoiceField = ({ label, value, choices, onChange }: ChoiceFieldProps) => {
  const chosen = choices.find(({ id }) => id === value)
  if (choices.length === 0)
    return (
      <label>
        {label}
        <input
          value={value}
          placeholder="Default of the agent"
          onChange={(event) => onChange(event.target.value)}
          autoComplete="off"
          spellCheck={false}
        />
      </label>
    )
  return (
    <label>
      {label}
      <select value={chosen?.id ?? ''} onChange={(event) => onChange(event.target.value)}>
        <option value="">Default of the agent</option>
        {choices.map(({ id, label: title }) => (
          <option key={id} value={id}>
            {title ?? id}
          </option>
        ))}
      </select>
      {chosen?.description !== undefined && (
        <span className="choice-about">{chosen.description}</span>
      )}
    </label>
  )
}

interface LinesFieldProps {
  label: string
  hint?: string
  value: string
  onChange: (value: string) => void
}

const LinesField = ({ label, hint, value, onChange }: LinesFieldProps) => (
  <label>
    {label} {hint !== undefined && <span className="optional">{hint}</span>}
    <textarea
      rows={2}
      value={value}
      onChange={(event) => onChange(event.target.value)}
      autoComplete="off"
      spellCheck={false}
    />
  </label>
)

interface PromptFieldProps {
  has: (option: StartOption) => boolean
  typed: TypedStart
  onChange: (part: Partial<TypedStart>) => void
}

/** The system prompt: an addition to the agent’s own, or another one. */
const PromptField = ({ has, typed, onChange }: PromptFieldProps) => {
  const [canReplace, canAdd] = [has('systemPrompt'), has('appendSystemPrompt')]
  if (!canReplace && !canAdd) return null
  const isOther = canReplace && (typed.isOtherPrompt || !canAdd)
  return (
    <>
      <LinesField
        label={isOther ? 'Another system prompt' : 'Addition to the system prompt'}
        value={typed.prompt}
        onChange={(prompt) => onChange({ prompt })}
      />
      {canReplace && canAdd && (
        <label className="choice">
          <input
            type="checkbox"
            checked={typed.isOtherPrompt}
            onChange={(event) => onChange({ isOtherPrompt: event.target.checked })}
          />
          <span>Replaces the agent’s own</span>
        </label>
      )}
    </>
  )
}
