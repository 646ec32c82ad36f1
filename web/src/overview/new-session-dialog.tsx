import { type FormEvent, lazy, Suspense, useEffect, useState } from 'react'
import type { AgentInfo, Project, ProjectTrust, SessionInfo } from '../../../src/api/index.ts'
import { reasonOf } from '../../../src/shared/reason.ts'
import { withPasskey } from '../access/with-passkey.ts'
import { useApp } from '../app/use-app.ts'
import type { Loaded } from '../lib/resource.ts'
import { useStore } from '../lib/use-store.ts'
import { LimitFields } from '../limits/limit-fields.tsx'
import { noLimits, readLimits, type TypedLimits } from '../limits/read-limits.ts'
import { Dialog } from '../parts/dialog.tsx'
import { DialogFooter } from '../parts/dialog-footer.tsx'
import { ProblemMessage } from '../parts/problem-message.tsx'
import { SuggestedField } from '../parts/suggested-field.tsx'
import { StartFields } from '../start/start-fields.tsx'
import { nothingTyped, readTypedStart, type TypedStart } from '../start/typed-start.ts'
import { sessionPath } from '../state/route.ts'
import { TrustQuestion } from '../trust/trust-question.tsx'
import { AgentChoice } from './agent-choice.tsx'
import { findProject, openTrustQuestion } from './find-project.ts'
import { newDirectory, ProjectChoice } from './project-choice.tsx'

const CompareDialog = lazy(() =>
  import('../compare/compare-dialog.tsx').then((module) => ({ default: module.CompareDialog })),
)

interface Props {
  /** The project that is chosen at first; '' for none. */
  projectId: string
  onClose: () => void
}

/** Creates a session, or sends one prompt to several agents. */
export const NewSessionDialog = (props: Props) => {
  const [isComparing, setComparing] = useState(false)
  if (!isComparing) return <OneSessionDialog {...props} onCompare={() => setComparing(true)} />
  return (
    <Suspense>
      <CompareDialog {...props} />
    </Suspense>
  )
}

/** Creates a session: which agent, in which directory, with which model. */
const OneSessionDialog = ({ projectId, onClose, onCompare }: Props & { onCompare(): void }) => {
  const { agents, projects } = useApp()
  const loadedAgents = useStore(agents)
  const loadedProjects = useStore(projects)
  const form = useNewSession(projectId, loadedAgents, loadedProjects)
  const { agent, choice, update, isCreating, problem, create, question } = form
  useEffect(() => {
    agents.load()
    projects.load()
  }, [agents, projects])
  const submit = (event: FormEvent) => {
    event.preventDefault()
    create(onClose)
  }
  if (question && agent)
    return (
      <Dialog title="Trust this folder?" onClose={onClose}>
        <TrustQuestion trust={question} onDecided={() => create(onClose)} />
        <ProblemMessage reason={problem} />
      </Dialog>
    )
  return (
    <Dialog title="New session" onClose={onClose}>
      <form className="new-session" onSubmit={submit}>
        <AgentChoice
          agents={loadedAgents}
          chosen={agent?.name}
          onChoose={(name) => update({ agent: name })}
        />
        <button type="button" className="link-button compare-link" onClick={onCompare}>
          Compare several agents…
        </button>
        <ProjectChoice
          projects={loadedProjects}
          chosen={form.projectId}
          onChoose={(id) => update({ projectId: id })}
          path={choice.path}
          onPath={(path) => update({ path })}
        />
        <SuggestedField
          label="Model"
          hint="optional"
          value={choice.model}
          suggestions={agent?.models ?? []}
          onChange={(model) => update({ model })}
          placeholder="Default model of the agent"
        />
        <NameField name={choice.name} onName={(name) => update({ name })} />
        <details>
          <summary>Limits</summary>
          <LimitFields limits={choice.limits} onChange={(limits) => update({ limits })} />
        </details>
        {agent && (
          <details>
            <summary>Start options</summary>
            <StartFields
              agent={agent}
              typed={choice.start}
              onChange={(start) => update({ start })}
            />
          </details>
        )}
        <ProblemMessage reason={problem} />
        <DialogFooter
          submitLabel={isCreating ? 'Creating…' : 'Create session'}
          isDisabled={isCreating || !agent}
          onClose={onClose}
        />
      </form>
    </Dialog>
  )
}

const NameField = ({ name, onName }: { name: string; onName: (name: string) => void }) => (
  <label>
    Name <span className="optional">optional</span>
    <input
      value={name}
      onChange={(event) => onName(event.target.value)}
      maxLength={200}
      autoComplete="off"
    />
  </label>
)

interface Choice {
  readonly agent: string
  /** Undefined until the user chooses a project. */
  readonly projectId: string | undefined
  /** The directory to work in, where that is not a project yet. */
  readonly path: string
  readonly model: string
  readonly name: string
  readonly limits: TypedLimits
  readonly start: TypedStart
}

/** What the user has chosen so far, with a default for what is left open; and the way to create it. */
const useNewSession = (
  givenProject: string,
  agents: Loaded<AgentInfo[]>,
  projects: Loaded<Project[]>,
) => {
  const { client, routes, prefs } = useApp()
  const [choice, setChoice] = useState<Choice>({
    agent: prefs.agent.get(),
    projectId: givenProject === '' ? undefined : givenProject,
    path: '',
    model: '',
    name: '',
    limits: noLimits,
    start: nothingTyped,
  })
  const [isCreating, setCreating] = useState(false)
  const [problem, setProblem] = useState<string>()
  /** What a person must decide before the session is created. */
  const [question, setQuestion] = useState<ProjectTrust>()

  const installed =
    agents.value?.filter((each) => each.isInstalled && each.capabilities.isLive) ?? []
  const agent = installed.find(({ name }) => name === choice.agent) ?? installed[0]
  const projectId = choice.projectId ?? projects.value?.[0]?.id ?? newDirectory

  /** Undefined if a person must first decide about the files of the project. */
  const createSession = async (agent: AgentInfo): Promise<SessionInfo | undefined> => {
    const limits = readLimits(choice.limits)
    const start = readTypedStart(choice.start, agent)
    const project = await findProject(client, projectId, choice.path)
    const trust = await openTrustQuestion(client, project, agent.name)
    if (trust) return void setQuestion(trust)
    const [model, name] = [choice.model.trim(), choice.name.trim()]
    const wanted = {
      projectId: project.id,
      agent: agent.name,
      ...(model !== '' && { model }),
      ...(name !== '' && { name }),
      ...(Object.keys(limits).length > 0 && { budget: { limits } }),
      ...(Object.keys(start).length > 0 && { start }),
      ...(choice.start.hasWorktree && { worktree: true as const }),
    }
    const session = await withPasskey(client, { kind: 'rule', id: project.id }, (options) =>
      client.sessions.create(wanted, options),
    )
    prefs.agent.set(agent.name)
    return session
  }
  const create = (onCreated: () => void) => {
    if (!agent) return
    setCreating(true)
    setProblem(undefined)
    createSession(agent)
      .then(
        (session) => {
          if (!session) return
          onCreated()
          routes.go(sessionPath(session.id))
        },
        (cause: unknown) => setProblem(reasonOf(cause)),
      )
      .finally(() => setCreating(false))
  }
  const update = (change: Partial<Choice>) => setChoice({ ...choice, ...change })
  return { choice, update, agent, projectId, isCreating, problem, create, question }
}
