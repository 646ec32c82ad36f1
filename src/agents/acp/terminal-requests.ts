import {
  countOf,
  defined,
  type Fields,
  fieldsOf,
  listOf,
  stringOf,
  stringsOf,
} from '../../shared/fields.ts'
import type { ProcessExit } from '../agent.ts'
import type { RpcId } from '../json-rpc.ts'
import {
  type CommandTerminal,
  isRefusal,
  type Workspace,
  type WorkspaceRefusal,
} from '../workspace.ts'
import { badParams, type ServiceDeps, type ServiceRequest } from './services.ts'
import { commandLine, type RequestedCommand, showsCommand } from './shown-calls.ts'
import type { AcpCall } from './tools.ts'

/** The requests of the agent about terminals. */
export const createTerminalRequests = (deps: ServiceDeps): [string, ServiceRequest][] => {
  let count = 0
  const newCallId = () => {
    count += 1
    return `${deps.scope}sluice-command-${count}`
  }

  /** Answers a request about a terminal that exists. */
  const about =
    (answer: (terminal: CommandTerminal, id: string) => object | Promise<object>): ServiceRequest =>
    async ({ terminalId }) => {
      const id = stringOf(terminalId) ?? ''
      const terminal = deps.terminals.get(id)
      return terminal ? answer(terminal, id) : noTerminal(id)
    }

  return [
    ['terminal/create', (params, rpcId) => create(deps, params, rpcId, newCallId)],
    ['terminal/output', about(outputOf)],
    ['terminal/wait_for_exit', about(async (terminal) => exitStatus(await terminal.done))],
    [
      'terminal/kill',
      about((terminal) => {
        terminal.kill()
        return {}
      }),
    ],
    [
      'terminal/release',
      about((_, id) => {
        deps.terminals.release(id)
        return {}
      }),
    ],
  ]
}

const noTerminal = (id: string): WorkspaceRefusal => ({
  refusal: `Resource not found: there is no terminal “${id.slice(0, 100)}”.`,
  kind: 'missing',
})

const outputOf = (terminal: CommandTerminal): object => {
  const { text: output, isTruncated: truncated, exit } = terminal.output()
  return { output, truncated, ...(exit && { exitStatus: exitStatus(exit) }) }
}

const exitStatus = ({ code, signal }: ProcessExit) => ({ exitCode: code, signal })

const create = async (
  deps: ServiceDeps,
  params: Fields,
  rpcId: RpcId,
  newCallId: () => string,
): Promise<object> => {
  const { workspace, reader, terminals } = deps
  const read = await readCommand(deps, params)
  if (isRefusal(read)) return read
  const { shown: requested, cwd } = read
  const isAllowed = reader.tools.takeAllowance(
    requested.command,
    (call, shown) => call.fields.kind === 'execute' && showsCommand(shown, requested),
  )
  const owner = reader.tools.findOpen((call) => isCommandOf(call, requested))
  const toolCallId = owner?.id ?? newCallId()
  if (owner) reader.call({ toolCallId }, 'permission')
  else reader.call(ownCall(toolCallId, requested), 'call')
  const refusal = isAllowed
    ? undefined
    : await deps.decide({ rpcId, toolCallId, toolName: commandTool, args: requested })
  const { command, env = {} } = requested
  const outputLimit = countOf(params.outputByteLimit)
  const started =
    refusal ??
    (await movedDirectory(workspace, cwd)) ??
    (await workspace.startCommand({ command, cwd, env, outputLimit }))
  if (isRefusal(started)) {
    if (!owner) reader.call({ toolCallId, status: 'failed', rawOutput: started.refusal }, 'update')
    return started
  }
  const terminalId = terminals.add(started)
  if (!owner) showOwn(deps, toolCallId, terminalId, started)
  return { terminalId }
}

/** While a person decided, the directory may have become a symbolic link. */
const movedDirectory = async (
  workspace: Pick<Workspace, 'findDirectory'>,
  cwd: string,
): Promise<WorkspaceRefusal | undefined> => {
  const now = await workspace.findDirectory(cwd)
  if (isRefusal(now) || now.path === cwd) return isRefusal(now) ? now : undefined
  return { refusal: `${cwd} leads to another directory now.`, kind: 'failed' }
}

/** A name that Sluice recognises as that of a tool which runs a command. */
const commandTool = 'run_shell_command'

const ownCall = (toolCallId: string, requested: RequestedCommand) => ({
  ...{ toolCallId, name: commandTool, title: requested.command, kind: 'execute' },
  ...{ status: 'in_progress', rawInput: requested },
})

/** A command that no call of the agent is about is shown as a call of its own. */
const showOwn = (
  { reader, publish }: ServiceDeps,
  toolCallId: string,
  terminalId: string,
  terminal: CommandTerminal,
) => {
  const content = [{ type: 'terminal', terminalId }]
  reader.call({ toolCallId, status: 'in_progress', content }, 'update')
  void terminal.done.then(({ code }) => {
    reader.call({ toolCallId, status: code === 0 ? 'completed' : 'failed' }, 'update')
    publish()
  })
}

/** Whether a call of the agent is about this command. Its terminal is named in it later. */
const isCommandOf = ({ fields, terminals }: AcpCall, requested: RequestedCommand): boolean => {
  if (fields.kind !== 'execute' || terminals.size > 0) return false
  const { env: _, ...command } = requested
  const { rawInput, title } = fields
  return showsCommand({ title, ...fieldsOf(rawInput) }, { ...command, cwd: undefined })
}

/** The command that is requested, as a person sees it. */
const readCommand = async (
  { workspace, cwd: project }: ServiceDeps,
  params: Fields,
): Promise<{ shown: RequestedCommand; cwd: string } | WorkspaceRefusal> => {
  const program = stringOf(params.command)
  const args = stringsOf(params.args)
  if (program === undefined || program.trim() === '')
    return badParams('The request has no command.')
  if (args.length !== listOf(params.args).length) return badParams('Arguments must be strings.')
  const env = environmentIn(params.env)
  if (!env) return badParams('The environment variables are not valid.')
  const command = args.length === 0 ? program : commandLine([program, ...args])
  if (command.includes('\0') || command.length > longestCommand)
    return badParams(`A command has at most ${longestCommand} characters, and no NUL.`)
  const wanted = stringOf(params.cwd)
  const directory = await workspace.findDirectory(wanted)
  if (isRefusal(directory)) return directory
  const cwd = wanted === undefined || wanted === project ? undefined : directory.path
  const hasEnv = Object.keys(env).length > 0
  return {
    shown: { command, ...defined({ cwd, env: hasEnv ? env : undefined }) },
    cwd: directory.path,
  }
}

/** Linux accepts 128 KiB per argument. */
const longestCommand = 100_000

const environmentIn = (value: unknown): Record<string, string> | undefined => {
  const pairs = listOf(value).map((each) => {
    const { name, value: text } = fieldsOf(each)
    const isValid =
      typeof name === 'string' && /^[A-Za-z_]\w*$/.test(name) && typeof text === 'string'
    return isValid && !text.includes('\0') ? ([name, text] as const) : undefined
  })
  const valid = pairs.filter((pair) => pair !== undefined)
  return valid.length === pairs.length && pairs.length <= 100
    ? Object.fromEntries(valid)
    : undefined
}
