import { type Command, Option } from 'commander'
import type { LoopLimits, LoopSchedule, OnExceeded } from '../../events/types.ts'
import type { LoopOptions } from '../loop.ts'
import { amount, onBudgetOption } from './budget-options.ts'
import {
  absolutePath,
  agentChoices,
  anyAgentName,
  approveOption,
  dataOf,
  dataOption,
  duration,
  example,
  givenOptions,
  positiveNumber,
  sandboxOption,
  tokenOption,
  urlOption,
} from './options.ts'
import { addStartOptions, type StartFlags, startOf } from './start-options.ts'
import type { CliContext } from './verb.ts'

/** Adds `loop`, with `list`, `show`, `pause` and `stop`. */
export const loopVerbs = (program: Command, context: CliContext): void => {
  const loop = addLoop(program, context)
  addList(loop, context)
  addShow(loop, context)
  addControl(loop, context, 'pause')
  addControl(loop, context, 'stop')
}

/** The options as Commander parses them. */
interface ParsedLoop
  extends StartFlags,
    Pick<
      LoopOptions,
      'cwd' | 'detach' | 'out' | 'approve' | 'sandbox' | 'resume' | 'model' | 'name' | 'prompt'
    > {
  promptFile?: string
  promise?: string
  maxIterations?: number
  maxDuration?: number
  maxCost?: number
  maxTokens?: number
  maxFailures?: number
  maxStale?: number
  idleTimeout?: number
  every?: number
  cron?: string
  timezone?: string
  onBudget?: OnExceeded
  data?: string
  url?: string
  token?: string
}

const addLoop = (program: Command, context: CliContext): Command =>
  addStartOptions(withLoopOptions(program.command('loop')))
    .description('run an agent on the same prompt again and again, until it is done')
    .helpCommand(false)
    .argument('[agent]', agentChoices, anyAgentName)
    .addHelpText('after', example('sluice loop claude --prompt-file PROMPT.md --max-cost 10'))
    .action(async (agent: string | undefined, options: ParsedLoop, command: Command) => {
      const { loopVerb } = await import('../loop.ts')
      const { terminal, closed } = context
      const data = await dataOf(options)
      const notOnServer = givenOptions(command, ['approve', 'sandbox'])
      const start = await startOf(options)
      const parsed = { ...loopOptions(options), data, notOnServer, ...(start && { start }) }
      context.exitCode = await loopVerb(
        { ...parsed, ...(agent !== undefined && { agent }) },
        terminal,
        closed,
      )
    })

const withLoopOptions = (command: Command): Command =>
  command
    .option(
      '--prompt-file <file>',
      'the file with the prompt, read for each iteration',
      absolutePath,
    )
    .option('--prompt <text>', 'the prompt itself, instead of a file')
    .option(
      '--promise <line>',
      'the last line of an answer that ends the loop (default: LOOP_COMPLETE)',
    )
    .option('--max-iterations <n>', 'end after this many iterations (default: 100)', positiveNumber)
    .option(
      '--max-duration <time>',
      'end after this working time of agents, such as 4h',
      amount('durationMs'),
    )
    .option('--max-cost <usd>', 'end when this much is spent, in US dollars', amount('costUsd'))
    .option('--max-tokens <n>', 'end when this many are used, such as 2M', amount('tokens'))
    .option(
      '--max-failures <n>',
      'end after this many failures in a row (default: 5)',
      positiveNumber,
    )
    .option(
      '--max-stale <n>',
      'end after the same final text this many times (default: 3)',
      positiveNumber,
    )
    .option(
      '--idle-timeout <time>',
      'stop an iteration whose agent is silent for so long',
      duration,
    )
    .option('--every <time>', 'start an iteration each 30m, 2h, 1d …', duration)
    .option('--cron <expression>', 'start iterations at these times: "0 3 * * *"')
    .option('--timezone <zone>', 'the time zone of --cron, such as Europe/Zurich')
    .option('--resume [loop]', 'continue a loop by its id or name; without one, the last loop')
    .option('--cwd <directory>', 'the directory to work in', absolutePath, process.cwd())
    .option('--model <model>', 'the model, by the name that the agent uses')
    .option('--name <name>', 'what to call the loop')
    .option('--detach', 'start the loop on the server, and leave it running', false)
    .addOption(
      new Option('--out <form>', 'what to print: lines (one for each iteration) or events (JSON)')
        .choices(['lines', 'events'])
        .default('lines'),
    )
    .addOption(
      onBudgetOption('at a used budget: ask a person, or stop (default: ask in a terminal)'),
    )
    .addOption(approveOption())
    .addOption(sandboxOption())
    .addOption(urlOption())
    .addOption(tokenOption())
    .addOption(dataOption())

const loopOptions = (parsed: ParsedLoop): Omit<LoopOptions, 'data' | 'notOnServer' | 'agent'> => {
  const { cwd, detach, out, approve, sandbox, prompt, promptFile } = parsed
  const schedule = scheduleOf(parsed)
  return {
    ...{ cwd, detach, out, approve, sandbox, limits: loopLimitsOf(parsed) },
    ...(schedule && { schedule }),
    ...onExceededOf(parsed),
    ...(prompt !== undefined && { prompt }),
    ...(promptFile !== undefined && { promptFile }),
    ...(parsed.promise !== undefined && { promise: parsed.promise }),
    ...(parsed.resume !== undefined && { resume: parsed.resume }),
    ...(parsed.model !== undefined && { model: parsed.model }),
    ...(parsed.name !== undefined && { name: parsed.name }),
    ...(parsed.url !== undefined && { url: parsed.url }),
    ...(parsed.token !== undefined && { token: parsed.token }),
  }
}

/** Without a terminal, nobody is there who could raise a budget. */
const onExceededOf = ({ onBudget }: ParsedLoop): { onExceeded?: OnExceeded } => {
  if (onBudget !== undefined) return { onExceeded: onBudget }
  return process.stdin.isTTY ? {} : { onExceeded: 'stop' }
}

const loopLimitsOf = (parsed: ParsedLoop): LoopLimits => ({
  ...(parsed.maxIterations !== undefined && { maxIterations: parsed.maxIterations }),
  ...(parsed.maxDuration !== undefined && { maxDurationMs: parsed.maxDuration }),
  ...(parsed.maxCost !== undefined && { maxCostUsd: parsed.maxCost }),
  ...(parsed.maxTokens !== undefined && { maxTokens: parsed.maxTokens }),
  ...(parsed.maxFailures !== undefined && { maxFailures: parsed.maxFailures }),
  ...(parsed.maxStale !== undefined && { maxStale: parsed.maxStale }),
  ...(parsed.idleTimeout !== undefined && { idleTimeoutMs: parsed.idleTimeout }),
})

const scheduleOf = ({ every, cron, timezone }: ParsedLoop): LoopSchedule | undefined =>
  every === undefined && cron === undefined && timezone === undefined
    ? undefined
    : {
        ...(every !== undefined && { everyMs: every }),
        ...(cron !== undefined && { cron }),
        ...(timezone !== undefined && { timezone }),
      }

interface QueryOptions {
  json: boolean
  data?: string
  url?: string
  token?: string
}

/** Where the loops are. `loop` itself has the same options, and Commander gives it the values. */
const queryOf = async (command: Command) => {
  const { json, data, url, token }: QueryOptions = command.optsWithGlobals()
  return {
    json,
    data: await dataOf(data === undefined ? {} : { data }),
    ...(url !== undefined && { url }),
    ...(token !== undefined && { token }),
  }
}

const withQuery = (command: Command): Command =>
  command
    .addOption(urlOption())
    .addOption(tokenOption())
    .addOption(dataOption())
    .option('--json', 'print JSON', false)

const loopWords = 'a loop: its id, the beginning of its id, or its name'

const addList = (loop: Command, context: CliContext) =>
  withQuery(loop.command('list').description('list the loops, newest first'))
    .addHelpText('after', example('sluice loop list --json | jq -r .id'))
    .action(async (_: unknown, command: Command) => {
      const { listLoops } = await import('../loop.ts')
      context.exitCode = await listLoops(await queryOf(command), context.terminal)
    })

const addShow = (loop: Command, context: CliContext) =>
  withQuery(loop.command('show').description('show a loop and its last iterations'))
    .argument('<loop>', loopWords)
    .addHelpText('after', example('sluice loop show 3f2a'))
    .action(async (wanted: string, _: unknown, command: Command) => {
      const { showLoop } = await import('../loop.ts')
      context.exitCode = await showLoop(
        { ...(await queryOf(command)), loop: wanted },
        context.terminal,
      )
    })

const addControl = (loop: Command, context: CliContext, action: 'pause' | 'stop') => {
  const what = { pause: 'pause a loop after its iteration', stop: 'end a loop and its iteration' }
  const command = withQuery(loop.command(action).description(what[action]))
    .argument('<loop>', loopWords)
    .addHelpText('after', example(`sluice loop ${action} 3f2a`))
  if (action === 'pause') command.option('--now', 'stop the iteration, too', false)
  command.action(async (wanted: string, { now }: { now?: boolean }, own: Command) => {
    const { controlLoop } = await import('../loop.ts')
    context.exitCode = await controlLoop(
      { ...(await queryOf(own)), loop: wanted, action, abort: now === true },
      context.terminal,
    )
  })
}
