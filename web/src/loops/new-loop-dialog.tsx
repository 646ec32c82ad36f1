import { type FormEvent, useEffect } from 'react'
import { useApp } from '../app/use-app.ts'
import { useStore } from '../lib/use-store.ts'
import { AgentChoice } from '../overview/agent-choice.tsx'
import { ProjectChoice } from '../overview/project-choice.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { DialogFooter } from '../parts/dialog-footer.tsx'
import { ProblemMessage } from '../parts/problem-message.tsx'
import { SuggestedField } from '../parts/suggested-field.tsx'
import { StartFields } from '../start/start-fields.tsx'
import { TrustQuestion } from '../trust/trust-question.tsx'
import { PromptFields, ScheduleFields } from './loop-fields.tsx'
import { LoopLimitFields, newLoopDefaults } from './loop-limit-fields.tsx'
import { useNewLoop } from './use-new-loop.ts'
import '../style/loops.css'

/** Starts a loop on the server: an agent that works on the same prompt until it is done. */
export const NewLoopDialog = ({ onClose }: { onClose: () => void }) => {
  const { agents, projects } = useApp()
  const loadedAgents = useStore(agents)
  const loadedProjects = useStore(projects)
  const form = useNewLoop(loadedAgents, loadedProjects, onClose)
  const { agent, choice, update, question, problem } = form
  useEffect(() => {
    agents.load()
    projects.load()
  }, [agents, projects])
  const submit = (event: FormEvent) => {
    event.preventDefault()
    form.start()
  }
  if (question)
    return (
      <Dialog title="Trust this folder?" onClose={onClose}>
        <TrustQuestion trust={question} onDecided={form.start} />
        <ProblemMessage reason={problem} />
      </Dialog>
    )
  return (
    <Dialog title="New loop" onClose={onClose}>
      <form className="new-loop" onSubmit={submit}>
        <p className="optional">
          The agent starts fresh each time and gets the same prompt, until the last line of its
          answer is the promise.
        </p>
        <AgentChoice
          agents={loadedAgents}
          chosen={agent?.name}
          onChoose={(name) => update({ agent: name })}
        />
        <ProjectChoice
          projects={loadedProjects}
          chosen={form.projectId}
          onChoose={(id) => update({ projectId: id })}
          path={choice.path}
          onPath={(path) => update({ path })}
        />
        <PromptFields choice={choice} onChange={update} />
        <SuggestedField
          label="Model"
          hint="optional"
          value={choice.model}
          suggestions={agent?.models ?? []}
          onChange={(model) => update({ model })}
          placeholder="Default model of the agent"
        />
        <LoopLimitFields
          limits={choice.limits}
          defaults={newLoopDefaults}
          onChange={(limits) => update({ limits })}
        />
        <ScheduleFields choice={choice} onChange={update} />
        {agent && (agent.start?.options.length ?? 0) > 0 && (
          <details>
            <summary>Start options</summary>
            <StartFields
              agent={agent}
              typed={choice.start}
              onChange={(start) => update({ start })}
              canHaveWorktree={false}
            />
          </details>
        )}
        <ProblemMessage reason={problem} />
        <DialogFooter
          submitLabel={form.isStarting ? 'Starting…' : 'Start loop'}
          isDisabled={form.isStarting || !agent}
          onClose={onClose}
        />
      </form>
    </Dialog>
  )
}
