import { z } from 'zod'
import { sessionBudget } from '../events/budget.ts'
import { count, label, newWork, time } from './fields.ts'
import { sessionInfo } from './session.ts'
import { fileDiff } from './turn-diff.ts'

export const newComparison = z
  .strictObject({
    projectId: newWork.projectId,
    agents: z
      .array(newWork.agent)
      .min(2)
      .max(8)
      .refine((names) => new Set(names).size === names.length, 'Name each agent once.')
      .describe('Names of agents of `GET agents`, each once.'),
    prompt: z.string().min(1).max(1_000_000).describe('The prompt that all agents get.'),
    models: z
      .record(z.string().max(100), newWork.model.unwrap())
      .optional()
      .describe('Names of models, by agent. Default: the agent’s own choice.'),
    name: label.optional().describe('Name of the sessions.'),
    fromHead: z
      .boolean()
      .optional()
      .describe(
        'The worktrees start from the last commit, although there are changes that are not committed.',
      ),
    budget: sessionBudget.optional().describe('Limits of each session.'),
  })
  .describe('Body of `POST comparisons`.')

export const comparedFile = fileDiff
  .omit({ diff: true })
  .describe('One changed file, without its diff.')

export const comparedSession = z
  .object({
    session: sessionInfo,
    state: z
      .enum(['not_started', 'running', 'approval', 'done', 'failed'])
      .describe(
        '`not_started`: the agent has not received the prompt. `approval`: a person must decide. `failed`: the last run failed.',
      ),
    problem: z.string().optional().describe('Why the agent did not start or failed, for people.'),
    text: z.string().describe('The last message of the agent: at most 100,000 characters.'),
    files: z
      .array(comparedFile)
      .describe('What changed in the worktree since it was made: at most 500 files.'),
    additions: count.describe('Number of added lines.'),
    deletions: count.describe('Number of deleted lines.'),
  })
  .describe('One agent of a comparison.')

export const comparison = z
  .object({
    id: z.string().describe('Id of the comparison: the `comparisonId` of its sessions.'),
    projectId: z.string().optional().describe('Id of the project.'),
    createdAt: time('When the first session was created'),
    agents: z.array(comparedSession).describe('The agents, in the order of their sessions.'),
  })
  .describe('Agents that got the same prompt, each in a git worktree of its own.')
