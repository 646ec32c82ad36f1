import { basename } from 'node:path'
import { isAgentName } from '../../agents/known-agents.ts'
import type { Project, SessionInfo } from '../../api/types.ts'
import { ApiError } from '../../client/api-error.ts'
import type { Client } from '../../client/client.ts'
import { Fault } from '../../shared/fault.ts'
import { defined } from '../../shared/fields.ts'
import { type ChatTarget, checkTarget, refuseStart } from '../chat/open-chat.ts'
import { findServerSession, serverSessions } from '../find-session.ts'
import { knownPath, lastSessionIn } from '../last-session.ts'
import { offerTrust } from '../trust-question.ts'
import { serverTrust } from './server-reads.ts'

/** Creates the session of a chat or a run on a server, or finds the one to continue. */
export const openServerSession = async (
  client: Client,
  target: ChatTarget,
): Promise<SessionInfo> => {
  const { resume, agent = 'pi', cwd = process.cwd(), model, budget, start, worktree } = target
  if (resume !== undefined || target.continue === true) return continueSession(client, target)
  const project = await projectAt(client, cwd)
  if (!isAgentName(agent))
    await offerTrust(serverTrust(client), { agent: 'sluice', cwd: project.path })
  return client.sessions.create({
    agent,
    projectId: project.id,
    ...defined({ model, budget, start }),
    ...(worktree && { worktree: true }),
  })
}

const continueSession = async (client: Client, target: ChatTarget): Promise<SessionInfo> => {
  refuseStart(target)
  const { resume, agent, cwd = process.cwd(), model, budget } = target
  const session =
    resume === undefined
      ? lastSessionIn(await serverSessions(client), { cwd, agent })
      : await findServerSession(client, resume)
  if (resume !== undefined) checkTarget(session, target)
  if (budget) await client.sessions.update(session.id, { budget })
  if (model === undefined) return session
  try {
    await client.sessions.model(session.id, { model })
  } catch (cause) {
    if (!(cause instanceof ApiError)) throw cause
    throw new Fault('usage', `Cannot switch to the model ${model}: ${cause.detail}`, { cause })
  }
  return session
}

/** The project of a directory. A directory that is none becomes one, if the key allows it. */
export const projectAt = async (client: Client, cwd: string): Promise<Project> => {
  const path = knownPath(cwd)
  const projects = await client.projects.list()
  const found = projects.find((each) => each.path === path)
  if (found) return found
  return client.projects.create({ path, name: basename(path) || path })
}
