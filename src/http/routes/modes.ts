import { setTimeout as pause } from 'node:timers/promises'
import { knownAgent } from '../../agents/known-agents.ts'
import { accepted, modeBody, modeList, shellBody, switchBody } from '../../api/command.ts'
import type { AgentSwitch } from '../../events/types.ts'
import type { CommandResult } from '../../session/conversation/session.ts'
import { defined } from '../../shared/fields.ts'
import { endpoints } from '../endpoints.ts'
import { requireSession } from '../require-session.ts'
import { commandProblems, noSession, unanswered } from './commands.ts'
import { sessionParams } from './params.ts'
import { route } from './route.ts'
import { confirmLess } from './rules.ts'
import { sendCommand } from './send-command.ts'

const tag = 'Commands'
const reply = { status: 202, schema: accepted }

/** How long a shell command may take before the request is answered. The stream shows the rest. */
const shellMs = 1000

/** What agents do by themselves: permission modes, switches, and shell commands of people. */
export const modeRoutes = [
  route({
    endpoint: endpoints.setMode,
    tag,
    summary: 'Change the permission mode',
    description:
      'An agent that is not running starts in the mode. On a server that requires passkeys, confirm it with one (`rule`).',
    parts: { params: sessionParams, body: modeBody },
    reply,
    problems: [...noSession, ...commandProblems, 'passkey_required'],
    async handle({ params: { id }, body: { mode } }, context) {
      await confirmLess(context, id)
      const { app, actor: by } = context
      return sendCommand(app, id, {
        feature: 'permission modes',
        send: (session) => session.setMode(mode, { by }),
      })
    },
  }),
  route({
    endpoint: endpoints.listModes,
    tag,
    summary: 'List the permission modes that a session can change to',
    description:
      'Some agents list their modes only while they run: then they are those of its last process.',
    parts: { params: sessionParams },
    reply: { status: 200, schema: modeList },
    problems: noSession,
    async handle({ params }, { app }) {
      const { id, agent, permissionMode } = await requireSession(app.log, params.id)
      const { modes: listed, permissionMode: mode = permissionMode } =
        await app.streams.snapshotOf(id)
      const modes = listed ?? knownAgent(agent)?.capabilities.modes ?? []
      return { status: 200, body: { sessionId: id, modes, ...defined({ mode }) } }
    },
  }),
  route({
    endpoint: endpoints.setSwitches,
    tag,
    summary: 'Switch on or off what the agent does by itself',
    description: 'Pi stores it in its settings, so it holds for all its sessions on the machine.',
    parts: { params: sessionParams, body: switchBody },
    reply,
    problems: [...noSession, ...commandProblems],
    handle: ({ params, body }, { app, actor: by }) =>
      sendCommand(app, params.id, {
        feature: 'these switches',
        async send(session) {
          let result: CommandResult = unanswered
          for (const [name, isOn] of switchesOf(body)) {
            result = await session.setSwitch(name, isOn, { by })
            if (result.outcome !== 'accepted') break
          }
          return result
        },
      }),
  }),
  route({
    endpoint: endpoints.runShell,
    tag,
    summary: 'Run a shell command through the agent',
    description:
      'It runs in the directory of the session, without approval. The agent can use its output from then on. On a server that requires passkeys, confirm it with one (`rule`).',
    parts: { params: sessionParams, body: shellBody },
    reply,
    problems: [...noSession, ...commandProblems, 'passkey_required'],
    async handle({ params: { id }, body: { command } }, context) {
      await confirmLess(context, id)
      const { app, access, actor: by } = context
      return sendCommand(app, id, {
        feature: 'shell commands of people',
        check: () => app.quotas.checkDisk(access),
        send: (session) =>
          Promise.race([session.runShell(command, { by }), pause(shellMs, unanswered)]),
      })
    },
  }),
  route({
    endpoint: endpoints.stopShell,
    tag,
    summary: 'Stop the shell commands that run through the agent',
    parts: { params: sessionParams },
    reply,
    problems: [...noSession, ...commandProblems],
    handle: ({ params }, { app, actor: by }) =>
      sendCommand(app, params.id, {
        feature: 'shell commands of people',
        send: (session) => session.stopShell({ by }),
      }),
  }),
]

const switchesOf = (body: Partial<Record<AgentSwitch, boolean | undefined>>) => {
  const { autoCompaction, autoRetry } = body
  const named: [AgentSwitch, boolean | undefined][] = [
    ['autoCompaction', autoCompaction],
    ['autoRetry', autoRetry],
  ]
  return named.flatMap(([name, isOn]): [AgentSwitch, boolean][] =>
    isOn === undefined ? [] : [[name, isOn]],
  )
}
