import { onTestFinished } from 'vitest'
import type { Approval, ApprovalAnswer } from '../../src/api/types.ts'
import { eventually } from '../support/eventually.ts'
import { createServerDirectories, startServerProcess } from '../support/server-process.ts'
import { sluice } from '../support/sluice.ts'

/** A server for agents in terminals, with hooks of its data directory. */
export const openTerminalServer = async (
  env: Record<string, string>,
  cwd: string,
  { watches = false }: { watches?: boolean } = {},
) => {
  const directories = createServerDirectories()
  const start = (port = 0) =>
    startServerProcess(directories, {
      ...{ port, watches, env: { ...process.env, ...env }, args: ['--root', cwd] },
    })
  let server = await start()
  onTestFinished(async () => {
    await server.stop()
    directories.remove()
  })
  return {
    data: directories.data,
    server: () => server,
    hooks: (...args: string[]) => sluice(['hooks', ...args, '--data', directories.data], { env }),
    /** Stops the server. The returned function starts it again. */
    async stop(signal?: NodeJS.Signals) {
      await server.stop(signal)
      return async () => {
        server = await start(server.port)
      }
    },
    /** The first open question, once there is one. */
    pending: () =>
      eventually(async (): Promise<Approval> => {
        const [found] = await server.client.approvals.list()
        if (!found) throw new Error('no approval')
        return found
      }),
    answer: ({ approvalId, hash }: Approval, answer: ApprovalAnswer) =>
      server.client.approvals.answer(approvalId, { hash, ...answer }),
    /** How the approval ended, once it has. */
    outcomeOf: ({ sessionId, approvalId }: Approval) =>
      eventually(async () => {
        const { events } = await server.client.sessions.events(sessionId)
        const found = events.find(
          (each) => each.type === 'approval_resolved' && each.approvalId === approvalId,
        )
        if (found?.type !== 'approval_resolved') throw new Error('still open')
        const { action, outcome, by } = found
        return { action, outcome, by }
      }),
    /** All open questions, once there are so many. */
    allPending: (count: number) =>
      eventually(async (): Promise<Approval[]> => {
        const found = await server.client.approvals.list()
        if (found.length !== count) throw new Error(`${found.length} approvals`)
        return found
      }),
    /** What the agent of the only session does, as the list shows it. */
    presence: async () => {
      const { sessions } = await server.client.sessions.list()
      return sessions[0]?.watched?.presence
    },
  }
}
