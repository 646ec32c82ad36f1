import { useState } from 'react'
import type { Project, ProjectTrust } from '../../../src/api/index.ts'
import { reasonOf } from '../../../src/shared/reason.ts'
import { useApp } from '../app/use-app.ts'
import type { Loaded } from '../lib/resource.ts'
import { noLimits, readLimits, type TypedLimits } from '../limits/read-limits.ts'
import { findProject, openTrustQuestion } from '../overview/find-project.ts'
import { newDirectory } from '../overview/project-choice.tsx'
import { comparisonPath } from '../state/route.ts'

interface Choice {
  readonly agents: readonly string[]
  /** By the name of the agent. Empty: the agent’s own choice. */
  readonly models: Readonly<Record<string, string>>
  /** Undefined until the user chooses a project. */
  readonly projectId: string | undefined
  readonly path: string
  readonly prompt: string
  readonly isFromHead: boolean
  readonly limits: TypedLimits
}

/** What the user has chosen so far, and the way to start it. */
export const useNewComparison = (
  givenProject: string,
  projects: Loaded<Project[]>,
  onStarted: () => void,
) => {
  const { client, routes } = useApp()
  const [choice, setChoice] = useState<Choice>({
    ...{ agents: [], models: {}, path: '', prompt: '', isFromHead: false, limits: noLimits },
    projectId: givenProject === '' ? undefined : givenProject,
  })
  const [isStarting, setStarting] = useState(false)
  const [problem, setProblem] = useState<string>()
  const [question, setQuestion] = useState<ProjectTrust>()
  const projectId = choice.projectId ?? projects.value?.[0]?.id ?? newDirectory

  /** The id of the comparison; undefined if a person must first decide about files. */
  const create = async (): Promise<string | undefined> => {
    const { agents, isFromHead: fromHead } = choice
    const prompt = choice.prompt.trim()
    if (agents.length < 2) throw new Error('Choose at least two agents.')
    if (prompt === '') throw new Error('Write a prompt.')
    const limits = readLimits(choice.limits)
    const project = await findProject(client, projectId, choice.path)
    for (const agent of agents) {
      const trust = await openTrustQuestion(client, project, agent)
      if (trust) return void setQuestion(trust)
    }
    const models = agents.flatMap((agent) => {
      const model = choice.models[agent]?.trim() ?? ''
      return model === '' ? [] : [[agent, model] as const]
    })
    const { id } = await client.comparisons.create({
      ...{ projectId: project.id, agents: [...agents], prompt, fromHead },
      ...(models.length > 0 && { models: Object.fromEntries(models) }),
      ...(Object.keys(limits).length > 0 && { budget: { limits } }),
    })
    return id
  }
  const start = () => {
    setStarting(true)
    setProblem(undefined)
    create()
      .then(
        (id) => {
          if (id === undefined) return
          onStarted()
          routes.go(comparisonPath(id))
        },
        (cause: unknown) => {
          setQuestion(undefined)
          setProblem(reasonOf(cause))
        },
      )
      .finally(() => setStarting(false))
  }
  const update = (change: Partial<Choice>) => setChoice({ ...choice, ...change })
  return { choice, update, projectId, isStarting, problem, question, start }
}
