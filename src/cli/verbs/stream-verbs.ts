import { type Command, Option } from 'commander'
import { Fault } from '../../shared/fault.ts'
import type { ChatOptions } from '../chat.ts'
import type { CompareOptions } from '../compare.ts'
import type { OutName } from '../out-names.ts'
import type { RunAnywhereOptions } from '../run-anywhere.ts'
import { addLimitOptions, budgetOf, onBudgetOption } from './budget-options.ts'
import {
  absolutePath,
  agentChoices,
  anyAgentName,
  approveOption,
  dataOf,
  dataOption,
  example,
  fileOption,
  givenOptions,
  outOption,
  sandboxOption,
  sessionWords,
  streamName,
  tokenOption,
  urlOption,
  wholeNumber,
} from './options.ts'
import { addStartOptions, addWorktreeOption, startOf } from './start-options.ts'
import type { CliContext } from './verb.ts'

/** Adds `decode`, `run`, `chat` and `corpus`. Each verb is loaded when it is used. */
export const streamVerbs = (program: Command, context: CliContext): void => {
  addDecode(program, context)
  addRun(program, context)
  addChat(program, context)
  addCorpus(program, context)
}

const addDecode = (program: Command, context: CliContext) =>
  program
    .command('decode')
    .description('turn an agent’s recorded or piped stream into Sluice’s events')
    .argument('<agent>', agentChoices, streamName)
    .argument('[file]', 'a recording, or - for stdin', '-')
    .addOption(outOption())
    .option('--pace <ms>', 'wait this long between lines, to replay a recording', wholeNumber)
    .addHelpText('after', example('pi -p --mode json "Hello" | sluice decode pi --out events'))
    .action(async (agent: string, file: string, options: { out: OutName; pace?: number }) => {
      const { decode } = await import('../decode.ts')
      context.exitCode = await decode({ agent, file, ...options }, context.terminal)
    })

const runExamples = [
  example('sluice run pi "Fix the failing test" -- --no-session'),
  '  sluice run codex "Go on" --resume 0199a213-81c0-7800-8aa1-bbab2a035a53',
  '  sluice run --agents pi,codex "Fix the failing test" --approve allow',
  '  sluice run acp "Fix the failing test" -- opencode acp',
  '  sluice run text -- make test',
].join('\n')

const addRun = (program: Command, context: CliContext) =>
  addCompareOptions(addOwnOptions(program.command('run')))
    .description('start an agent with one prompt and show its stream')
    .argument('[agent]', `${agentChoices}; not with --agents`)
    .argument('[prompt]', 'the prompt for the agent; put -- before a word that begins with -')
    .argument(
      '[extra...]',
      'after --: more arguments for the agent; with acp and text, the command to run',
    )
    .addOption(outOption())
    .addOption(fileOption())
    .option('--model <model>', 'the model, by the name that the agent uses')
    .option('--resume <id>', 'continue a conversation, by the agent’s own id of it')
    .option('--cwd <directory>', 'the directory to work in', absolutePath, process.cwd())
    .option('--trust-project', 'load the settings, hooks and extensions of the directory', false)
    .addOption(sandboxOption())
    .option('--continue', 'on a server: in the session of the directory that was used last')
    .addOption(
      new Option('--approve <how>', 'on a server: how to answer approvals (default: ask)').choices([
        ...['ask', 'allow', 'deny'],
      ]),
    )
    .addOption(onBudgetOption('on a server: ask, or stop the run at a limit (default: stop)'))
    .option('--no-server', 'run in this process, also when a server has the data directory')
    .addOption(urlOption())
    .addOption(tokenOption())
    .addOption(dataOption())
    .addHelpText('after', runExamples)
    .action(
      async (
        first: string | undefined,
        second: string | undefined,
        extra: string[],
        options,
        command: Command,
      ) => {
        if (options.agents !== undefined) {
          const all = { ...options, budget: budgetOf(options) }
          context.exitCode = await compareOf(first, second, all, context)
          return
        }
        refuseWithoutAgents(command)
        const [agent, prompt] = requireBoth(first, second, command)
        const { runAnywhere } = await import('../run-anywhere.ts')
        const parsed: Omit<RunAnywhereOptions, 'agent' | 'prompt' | 'extra' | 'data'> = options
        const start = await startOf(options)
        const notOnServer = [
          ...givenOptions(command, ['sandbox', 'trustProject', 'resume']),
          ...(extra.length > 0 ? ['arguments for the agent'] : []),
        ]
        context.exitCode = await runAnywhere(
          {
            ...parsed,
            ...{ agent, prompt, extra, start, notOnServer, budget: budgetOf(options) },
            data: await dataOf(options),
          },
          context.terminal,
          context.closed,
        )
      },
    )

/** Options of what has one session: its limits, and how its agent starts. */
const addOwnOptions = (command: Command): Command =>
  addWorktreeOption(addStartOptions(addLimitOptions(command)))

const addCompareOptions = (command: Command): Command =>
  command
    .option(
      '--agents <names>',
      'the same prompt to several agents, in git worktrees: pi,claude:opus',
    )
    .option('--from-head', 'with --agents: leave out changes that are not committed')
    .option('--clean-up', 'with --agents: delete the worktrees in the end')
    .option('--json', 'with --agents: print one JSON object per agent in the end')

/** Reads `pi` or `pi:model`. Names of models can have colons, too. */
const agentAndModel = (text: string): { agent: string; model?: string } => {
  const [name = '', ...rest] = text.trim().split(':')
  const model = rest.join(':').trim()
  return { agent: anyAgentName(name), ...(model !== '' && { model }) }
}

/** Options that would have no effect on one agent. */
const refuseWithoutAgents = (command: Command): void => {
  const [given] = givenOptions(command, ['fromHead', 'cleanUp', 'json'])
  if (given !== undefined)
    throw new Fault(
      'usage',
      `${given} works only with --agents.${given === '--json' ? ' For one agent, use --out events.' : ''}`,
    )
}

/** With `--agents`, the only argument is the prompt. */
const compareOf = async (
  prompt: string | undefined,
  rest: string | undefined,
  options: { agents: string; data?: string; file?: string[] } & Omit<
    CompareOptions,
    'agents' | 'prompt' | 'data'
  >,
  context: CliContext,
): Promise<number> => {
  if (prompt === undefined || rest !== undefined)
    throw new Fault('usage', 'With --agents, give one argument: the prompt.')
  if (options.file) throw new Fault('usage', '--file does not work with --agents.')
  const { compareAgents } = await import('../compare.ts')
  const chosen = options.agents.split(',').map(agentAndModel)
  const agents = chosen.map(({ agent }) => agent)
  const models = Object.fromEntries(
    chosen.flatMap(({ agent, model }) => (model === undefined ? [] : [[agent, model]])),
  )
  const data = await dataOf(options)
  const parsed = { ...options, agents, models, prompt, data }
  return compareAgents(parsed, context.terminal, context.closed)
}

const requireBoth = (
  agent: string | undefined,
  prompt: string | undefined,
  command: Command,
): [string, string] => {
  if (agent !== undefined && prompt !== undefined) return [anyAgentName(agent), prompt]
  if (agent === 'text')
    throw new Fault('usage', 'Give the program after --. For example: sluice run text -- make test')
  const missing = agent === undefined ? 'agent' : 'prompt'
  return command.error(`error: missing required argument '${missing}'`)
}

const addChat = (program: Command, context: CliContext) =>
  addOwnOptions(program.command('chat'))
    .description('talk to an agent in the terminal; the session is stored')
    .argument('[agent]', `${agentChoices} (default: pi)`, anyAgentName)
    .argument('[command...]', 'after --, with acp: the command of an agent that speaks ACP')
    .option('--cwd <directory>', 'the directory to work in (default: this one)', absolutePath)
    .option('--model <model>', 'the model, by the name that the agent uses')
    .addOption(fileOption())
    .addOption(approveOption())
    .addOption(new Option('--resume <session>', `continue ${sessionWords}`).conflicts('continue'))
    .option('--continue', 'continue the session of the directory that was used last')
    .addOption(onBudgetOption('at a limit, ask or stop the run (default: ask)'))
    .addOption(sandboxOption())
    .addOption(urlOption())
    .addOption(tokenOption())
    .addOption(dataOption())
    .addHelpText('after', example('sluice chat claude --approve ask'))
    .addHelpText('after', '  sluice chat acp -- opencode acp')
    .action(async (agent: string | undefined, words: string[], options, command) => {
      const { chat } = await import('../chat.ts')
      const parsed: Omit<ChatOptions, 'agent' | 'data' | 'ofServer' | 'acp'> = options
      const { terminal, closed } = context
      const ofServer = givenOptions(command, ['approve', 'sandbox'])
      const data = await dataOf(options)
      context.exitCode = await chat(
        {
          ...parsed,
          ...(agent !== undefined && { agent }),
          budget: budgetOf(options),
          start: await startOf(options),
          data,
          ofServer,
          acp: await acpOf(agent, words, parsed),
        },
        terminal,
        closed,
      )
    })

/** The agent of a chat with `acp`. A stored session can be shown without its command. */
const acpOf = async (
  agent: string | undefined,
  words: readonly string[],
  { resume, cwd = process.cwd() }: Pick<ChatOptions, 'resume' | 'cwd'>,
) => {
  if (words.length === 0 && (agent !== 'acp' || resume !== undefined)) return undefined
  const { agentOfCommand, refuseCommand } = await import('../acp-command.ts')
  if (agent !== 'acp') throw refuseCommand(agent ?? 'pi')
  return agentOfCommand(words, { verb: 'chat acp', cwd })
}

const addCorpus = (program: Command, context: CliContext) =>
  program
    .command('corpus')
    .description('decode every <agent>/<version>/*.ndjson below a directory')
    .argument('<directory>', 'the directory with the recordings')
    .option('--json', 'print one JSON object per line', false)
    .addHelpText('after', example('sluice corpus recordings --json | jq .costUsd'))
    .action(async (directory: string, options: { json: boolean }) => {
      const { corpus } = await import('../corpus.ts')
      context.exitCode = await corpus({ directory, ...options }, context.terminal)
    })
