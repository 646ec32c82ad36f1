import { type FormEvent, useEffect, useState } from 'react'
import { reasonOf } from '../../../src/shared/reason.ts'
import { useApp } from '../app/use-app.ts'
import { useStore } from '../lib/use-store.ts'
import { Dialog } from '../parts/dialog.tsx'
import { ProblemMessage } from '../parts/problem-message.tsx'
import { SuggestedField } from '../parts/suggested-field.tsx'
import { sessionPath } from '../state/route.ts'
import { AgentChoice } from './agent-choice.tsx'
import { newDirectory, ProjectChoice } from './project-choice.tsx'

interface Props {
  /** The project that was meant; '' for none. */
  projectId: string
  onClose: () => void
}

/** Begins a session: which agent, where, with which model. */
export const NewSessionDialog = ({ projectId: given, onClose }: Props) => {
  const { client, agents, projects, routes, prefs } = useApp()
  const knownAgents = useStore(agents)
  const knownProjects = useStore(projects)
  const [chosenAgent, setAgent] = useState(prefs.agent.get())
  const [chosenProject, setProject] = useState(given === '' ? undefined : given)
  const [path, setPath] = useState('')
  const [model, setModel] = useState('')
  const [name, setName] = useState('')
  const [isBusy, setBusy] = useState(false)
  const [problem, setProblem] = useState<string>()

  useEffect(() => {
    agents.load()
    projects.load()
  }, [agents, projects])

  const usable = knownAgents.value?.filter(({ isInstalled }) => isInstalled) ?? []
  const agent = usable.find((each) => each.name === chosenAgent) ?? usable[0]
  const firstProject = knownProjects.value?.[0]?.id
  const projectId = chosenProject ?? firstProject ?? newDirectory

  const begin = async () => {
    if (!agent) return
    const id =
      projectId === newDirectory
        ? (await client.projects.create({ name: lastPart(path), path: path.trim() })).id
        : projectId
    const session = await client.sessions.create({
      projectId: id,
      agent: agent.name,
      ...(model.trim() !== '' && { model: model.trim() }),
      ...(name.trim() !== '' && { name: name.trim() }),
    })
    prefs.agent.set(agent.name)
    onClose()
    routes.go(sessionPath(session.id))
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    setBusy(true)
    setProblem(undefined)
    begin().then(
      () => setBusy(false),
      (cause: unknown) => {
        setBusy(false)
        setProblem(reasonOf(cause))
      },
    )
  }
  return (
    <Dialog title="New session" onClose={onClose}>
      <form className="new-session" onSubmit={submit}>
        <AgentChoice agents={knownAgents} chosen={agent?.name} onChoose={setAgent} />
        <ProjectChoice
          projects={knownProjects}
          chosen={projectId}
          onChoose={setProject}
          path={path}
          onPath={setPath}
        />
        <SuggestedField
          label="Model"
          hint="optional"
          value={model}
          suggestions={agent?.models ?? []}
          onChange={setModel}
          placeholder="Default model of the agent"
        />
        <label>
          Name <span className="optional">optional</span>
          <input
            value={name}
            onChange={(event) => setName(event.target.value)}
            maxLength={200}
            autoComplete="off"
          />
        </label>
        <ProblemMessage text={problem} />
        <footer>
          <button type="button" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" className="primary" disabled={isBusy || !agent}>
            {isBusy ? 'Creating…' : 'Create session'}
          </button>
        </footer>
      </form>
    </Dialog>
  )
}

const lastPart = (path: string): string =>
  path.split('/').findLast((part) => part.trim() !== '') ?? 'project'
