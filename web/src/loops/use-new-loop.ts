import { useState } from 'react'
import type { AgentInfo, NewLoop, Project, ProjectTrust } from '../../../src/api/index.ts'
import type { LoopInfo } from '../../../src/events/index.ts'
import { reasonOf } from '../../../src/shared/reason.ts'
import { withPasskey } from '../access/with-passkey.ts'
import { useApp } from '../app/use-app.ts'
import type { Loaded } from '../lib/resource.ts'
import { noLimits, readDuration, readField } from '../limits/read-limits.ts'
import { findProject, openTrustQuestion } from '../overview/find-project.ts'
import { newDirectory } from '../overview/project-choice.tsx'
import { nothingTyped, readTypedStart, type TypedStart } from '../start/typed-start.ts'
import { loopPath } from '../state/route.ts'
import { readLoopLimits, type TypedLoopLimits } from './loop-limits.ts'

/** What the user has typed for a new loop. */
export interface LoopChoice {
  readonly agent: string
  /** Undefined until the user chooses a project. */
  readonly projectId: string | undefined
  /** The directory to work in, where that is not a project yet. */
  readonly path: string
  readonly prompt: string
  readonly promptFile: string
  readonly promise: string
  readonly model: string
  readonly limits: TypedLoopLimits
  readonly every: string
  readonly cron: string
  readonly start: TypedStart
}

/** What the user has chosen so far, with a default for what is left open; and the way to start it. */
export const useNewLoop = (
  agents: Loaded<AgentInfo[]>,
  projects: Loaded<Project[]>,
  onStarted: () => void,
) => {
  const { client, routes, prefs } = useApp()
  const [choice, setChoice] = useState<LoopChoice>(() => ({
    ...emptyChoice,
    agent: prefs.agent.get(),
  }))
  const [isStarting, setStarting] = useState(false)
  const [problem, setProblem] = useState<string>()
  const [question, setQuestion] = useState<ProjectTrust>()

  const installed =
    agents.value?.filter((each) => each.isInstalled && each.capabilities.isLive) ?? []
  const agent = installed.find(({ name }) => name === choice.agent) ?? installed[0]
  const projectId = choice.projectId ?? projects.value?.[0]?.id ?? newDirectory

  /** Undefined if a person must first decide about the files of the project. */
  const create = async (chosen: AgentInfo): Promise<LoopInfo | undefined> => {
    const fields = fieldsOfLoop(choice)
    const start = readTypedStart(choice.start, chosen)
    const project = await findProject(client, projectId, choice.path)
    const trust = await openTrustQuestion(client, project, chosen.name)
    if (trust) return void setQuestion(trust)
    const wanted = {
      ...{ projectId: project.id, agent: chosen.name, ...fields },
      ...(Object.keys(start).length > 0 && { start }),
    }
    return withPasskey(client, { kind: 'rule', id: project.id }, (options) =>
      client.loops.create(wanted, options),
    )
  }
  const start = () => {
    if (!agent) return
    setStarting(true)
    setProblem(undefined)
    create(agent)
      .then(
        (loop) => {
          if (!loop) return
          onStarted()
          routes.go(loopPath(loop.id))
        },
        (cause: unknown) => setProblem(reasonOf(cause)),
      )
      .finally(() => setStarting(false))
  }
  const update = (change: Partial<LoopChoice>) => setChoice({ ...choice, ...change })
  return { choice, update, agent, projectId, isStarting, problem, question, start }
}

const emptyChoice: LoopChoice = {
  agent: '',
  projectId: undefined,
  path: '',
  prompt: '',
  promptFile: '',
  promise: '',
  model: '',
  limits: { ...noLimits, iterations: '', failures: '', stale: '' },
  every: '',
  cron: '',
  start: nothingTyped,
}

/** What was typed, as the API expects it. Throws an error that says what is wrong. */
const fieldsOfLoop = (choice: LoopChoice): Omit<NewLoop, 'projectId' | 'agent'> => {
  const [prompt, promptFile] = [choice.prompt.trim(), choice.promptFile.trim()]
  const [promise, model, cron] = [choice.promise.trim(), choice.model.trim(), choice.cron.trim()]
  if (prompt === '' && promptFile === '') throw new Error('Write a prompt, or name a file with it.')
  if (prompt !== '' && promptFile !== '')
    throw new Error('Write a prompt or name a file, not both.')
  const everyMs = readField(choice.every, readDuration, 'Every must look like 30m or 4h.')
  if (everyMs !== undefined && cron !== '') throw new Error('Set either “Every” or “Cron”.')
  return {
    ...(prompt === '' ? { promptFile } : { prompt }),
    ...(promise !== '' && { promise }),
    ...(model !== '' && { model }),
    limits: readLoopLimits(choice.limits),
    ...(everyMs !== undefined && { schedule: { everyMs } }),
    ...(cron !== '' && { schedule: { cron } }),
  }
}
