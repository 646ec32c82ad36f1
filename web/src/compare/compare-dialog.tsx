import { useEffect } from 'react'
import { useApp } from '../app/use-app.ts'
import { useStore } from '../lib/use-store.ts'
import { LimitFields } from '../limits/limit-fields.tsx'
import { ProjectChoice } from '../overview/project-choice.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { DialogFooter } from '../parts/dialog-footer.tsx'
import { ProblemMessage } from '../parts/problem-message.tsx'
import { TrustQuestion } from '../trust/trust-question.tsx'
import { AgentChecks } from './agent-checks.tsx'
import { useNewComparison } from './use-new-comparison.ts'
import '../style/compare.css'

interface Props {
  /** The project that is chosen at first; '' for none. */
  projectId: string
  onClose: () => void
}

/** Sends the same prompt to several agents, each in a git worktree of its own. */
export const CompareDialog = ({ projectId, onClose }: Props) => {
  const { agents, projects } = useApp()
  const loadedAgents = useStore(agents)
  const loadedProjects = useStore(projects)
  const form = useNewComparison(projectId, loadedProjects, onClose)
  const { choice, update, problem, isStarting, question, start } = form
  useEffect(() => {
    agents.load()
    projects.load()
  }, [agents, projects])
  if (question)
    return (
      <Dialog title="Trust this folder?" onClose={onClose}>
        <TrustQuestion trust={question} onDecided={start} />
        <ProblemMessage reason={problem} />
      </Dialog>
    )
  return (
    <Dialog title="Compare agents" onClose={onClose}>
      <form
        className="new-session"
        onSubmit={(event) => {
          event.preventDefault()
          start()
        }}
      >
        <AgentChecks
          agents={loadedAgents}
          chosen={choice.agents}
          onChange={(chosen) => update({ agents: chosen })}
          models={choice.models}
          onModels={(models) => update({ models })}
        />
        <ProjectChoice
          projects={loadedProjects}
          chosen={form.projectId}
          onChoose={(id) => update({ projectId: id })}
          path={choice.path}
          onPath={(path) => update({ path })}
        />
        <label>
          Prompt
          <textarea
            rows={4}
            value={choice.prompt}
            onChange={(event) => update({ prompt: event.target.value })}
          />
        </label>
        <label className="choice">
          <input
            type="checkbox"
            checked={choice.isFromHead}
            onChange={(event) => update({ isFromHead: event.target.checked })}
          />
          <span>Leave out changes that are not committed</span>
        </label>
        <details>
          <summary>Limits of each agent</summary>
          <LimitFields limits={choice.limits} onChange={(limits) => update({ limits })} />
        </details>
        <p className="choice-about">
          Each agent works in a git worktree of its own, on its own branch.
        </p>
        <ProblemMessage reason={problem} />
        <DialogFooter
          submitLabel={isStarting ? 'Starting…' : 'Start'}
          isDisabled={isStarting}
          onClose={onClose}
        />
      </form>
    </Dialog>
  )
}
