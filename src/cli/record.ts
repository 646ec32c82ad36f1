import { randomUUID } from 'node:crypto'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Agent } from '../agents/agent.ts'
import { createStamp } from '../events/stamp.ts'
import type { AgentEvent, EventOf } from '../events/types.ts'
import { createStreamOutput } from '../handler/stream-output.ts'
import { createLedger } from '../ledger/ledger.ts'
import { insertUsageUpdates } from '../ledger/usage-update.ts'
import { agentVersion } from '../process/agent-catalog.ts'
import { defaultData } from '../process/default-data.ts'
import { openSandbox, type SandboxMode } from '../process/sandbox.ts'
import { version as sluiceVersion } from '../process/version.ts'
import { type Driver, startDriver } from '../session/conversation/driver.ts'
import { Fault } from '../shared/fault.ts'
import { exitCodes } from './exit.ts'
import { findAgentForRun } from './find-agent-for-run.ts'
import { installedProgram } from './installed-agent.ts'
import { sinkFor } from './outputs.ts'
import { createRecordingFiles, type RecordingFiles } from './recording-files.ts'
import { sandboxWarning } from './sandbox-line.ts'
import { exitCodeOfSignal, watchStopSignals } from './signals.ts'
import { printError, printRawError, type Terminal } from './terminal.ts'
import { startForRun } from './trust-question.ts'

export interface RecordOptions {
  agent: string
  /** Without prompts, each line of stdin is one. */
  prompts: readonly string[]
  to: string
  name?: string
  model?: string
  cwd: string
  approve: 'allow' | 'deny'
  redact: boolean
  sandbox: SandboxMode
  trustProject: boolean
  json: boolean
}

/** `sluice record`: drives an agent and writes all bytes in and out, with the events, to files. */
export const record = async (
  options: RecordOptions,
  terminal: Terminal,
  closed: AbortSignal,
): Promise<number> => {
  const agent = await findAgentForRun(options)
  const program = installedProgram(agent)
  const version = agent.isBuiltIn ? sluiceVersion : ((await agentVersion(program)) ?? 'unknown')
  const startedAt = new Date()
  const name = options.name ?? startedAt.toISOString().slice(0, 19).replaceAll(':', '-')
  const files = createRecordingFiles(join(options.to, agent.name, version), name)
  const screen = createScreen(files, options.json ? undefined : terminal)
  const driver = await startAgent({ ...options, agent, program }, files, screen)

  const signals = watchStopSignals(closed)
  const sending = sendPrompts(driver, options.prompts, screen)
  const stopped = await Promise.race([sending, signals.first, files.failed])
  if (stopped === undefined) driver.finish()
  else void driver.stop({ signals: agent.stopSignals })
  const exit = await driver.done
  signals.stop()
  if (stopped instanceof Fault) throw stopped

  const argv = [agent.program, ...argsOf(agent, options)]
  const { redact } = options
  const about = { agent: agent.name, version, sluice: sluiceVersion, platform: process.platform }
  files.finish(
    {
      ...{
        argv,
        exitCode: exit.code,
        signal: exit.signal,
        what: options.prompts.join('\n') || null,
      },
      ...{ ...about, recordedAt: startedAt.toISOString(), redacted: redact },
    },
    { redact, home: homedir() },
  )
  const result = screen.end()
  if (options.json) terminal.writeJson({ ...about, files: files.paths, redacted: redact })
  else terminal.write(closingText(options, files))
  await terminal.flush()
  if (stopped !== undefined) return exitCodeOfSignal(stopped)
  return result.isError || result.stopReason === undefined ? exitCodes.failed : exitCodes.done
}

const argsOf = (agent: Agent, { model, approve }: RecordOptions): string[] =>
  agent.live?.args({
    ...(model !== undefined && { model }),
    requestApprovals: approve === 'allow',
  }) ?? []

/** Shows the events, writes them to their file, and lets others wait for them. */
const createScreen = (files: RecordingFiles, terminal: Terminal | undefined) => {
  const now = () => Date.now()
  const silent = { event() {}, complete() {} }
  const output = createStreamOutput(terminal ? sinkFor('pretty', terminal) : silent, now)
  const ledger = createLedger()
  const stamp = createStamp(randomUUID(), now)
  let ended = Promise.withResolvers<void>()
  let onApproval: (request: EventOf<'approval_request'>) => void = () => {}

  return {
    push(events: readonly AgentEvent[]): void {
      for (const event of insertUsageUpdates(ledger, events)) {
        files.event(stamp(event))
        output.push(event)
        if (event.type === 'approval_request') onApproval(event)
        if (event.type !== 'agent_end') continue
        ended.resolve()
        ended = Promise.withResolvers()
      }
      void terminal?.flush()
    },
    /** Resolves at the end of the next run. */
    runEnded: (): Promise<void> => ended.promise,
    answerWith(answer: (request: EventOf<'approval_request'>) => void): void {
      onApproval = answer
    },
    end: () => output.end(),
  }
}

type Screen = ReturnType<typeof createScreen>

const startAgent = async (
  options: Omit<RecordOptions, 'agent'> & { agent: Agent; program: string },
  files: RecordingFiles,
  screen: Screen,
): Promise<Driver> => {
  const { agent, program, cwd, model, approve: action } = options
  const sandbox = await openSandbox({ mode: options.sandbox, hidden: [defaultData()] })
  printRawError(sandboxWarning(options.sandbox, sandbox.info))
  const project = await startForRun(agent, program, { cwd, isTrusted: options.trustProject })
  const driver = await startDriver({
    ...{ agent, program, cwd, sandbox, scope: '', byteTap: files },
    ...(model !== undefined && { model }),
    ...(project.env && { env: { ...process.env, ...project.env } }),
    ...(project.args.length > 0 && { extra: project.args }),
    requestApprovals: action === 'allow',
    onEvents: screen.push,
    onExit() {},
  })
  screen.answerWith((request) => {
    void driver.send({ type: 'answer', id: randomUUID(), request, answer: { action } })
  })
  return driver
}

/** Sends one prompt after the other, each when the run of the one before has ended. */
const sendPrompts = async (
  driver: Driver,
  prompts: readonly string[],
  screen: Screen,
): Promise<undefined> => {
  for await (const text of prompts.length > 0 ? prompts : typedPrompts()) {
    const ended = screen.runEnded()
    const result = await driver.send({ type: 'prompt', id: randomUUID(), text })
    if (result.outcome !== 'accepted') {
      printError(`the agent did not accept the prompt (${result.outcome}).`)
      return undefined
    }
    await Promise.race([ended, driver.done])
  }
  return undefined
}

const typedPrompts = async function* (): AsyncGenerator<string> {
  if (process.stdin.isTTY) printError('type a prompt and press Enter; Ctrl-D ends the recording.')
  for await (const line of createInterface({ input: process.stdin }))
    if (line.trim() !== '') yield line
}

const closingText = ({ agent, redact }: RecordOptions, { paths }: RecordingFiles): string => {
  const rows = [
    ['stdout', paths.output],
    ['stdin', paths.input],
    ['stderr', paths.errors],
    ['events', paths.events],
    ['about', paths.about],
  ]
  const warning = redact
    ? [
        'Keys, tokens, e-mail addresses and home paths are hidden. A key that the agent',
        'printed in pieces is hidden in the events only: read the other files first.',
      ]
    : ['The files hold what the agent read and wrote, perhaps keys. To hide those:', '  --redact']
  const list = rows.map(([title = '', path]) => `  ${title.padEnd(7)} ${path}\n`).join('')
  const lines = [...warning, 'To decode it again:', `  sluice decode ${agent} ${paths.output}`]
  return `\nRecorded:\n${list}${lines.join('\n')}\n`
}
