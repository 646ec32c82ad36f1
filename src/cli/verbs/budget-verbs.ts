import { Argument, type Command } from 'commander'
import type { BudgetScope } from '../../events/types.ts'
import type { TerminalAnswer } from '../answer-approval.ts'
import { addLimitOptions, type LimitFlags, limitsOf, onBudgetOption } from './budget-options.ts'
import {
  dataOf,
  dataOption,
  example,
  repeated,
  sessionWords,
  tokenOption,
  urlOption,
} from './options.ts'
import type { CliContext } from './verb.ts'

/** Adds `budget`, `approvals` and `answer`. */
export const budgetVerbs = (program: Command, context: CliContext): void => {
  const budget = program
    .command('budget')
    .description('limit money, tokens and time of sessions, projects and days')
    .helpCommand(false)
    .addHelpText('after', example('sluice budget set day --max-cost 20'))
  addList(budget, context)
  addSet(budget, context)
  addRemove(budget, context)
  addApprovals(program, context)
  addAnswer(program, context)
}

interface TargetOptions {
  url?: string
  token?: string
  data?: string
}

const scopeArgument = (): Argument =>
  new Argument('<scope>', 'what is limited: each session, a project, or a day').choices([
    ...['session', 'project', 'day'],
  ])

const projectText = 'only a project: its directory or its id'

const addTarget = (command: Command): Command =>
  command.addOption(urlOption()).addOption(tokenOption()).addOption(dataOption())

const addList = (budget: Command, context: CliContext) =>
  addTarget(budget.command('list', { isDefault: true }))
    .description('list the budgets, and how much of them is used')
    .option('--json', 'print one JSON object per line', false)
    .addHelpText('after', example('sluice budget list --json'))
    .action(async (options: TargetOptions & { json: boolean }) => {
      const { listBudgets } = await import('../budgets.ts')
      context.exitCode = await listBudgets(
        { ...options, data: await dataOf(options) },
        context.terminal,
      )
    })

const addSet = (budget: Command, context: CliContext) =>
  addTarget(addLimitOptions(budget.command('set').addArgument(scopeArgument())))
    .description('set a budget; it replaces the one of the same scope and project')
    .option('--project <project>', projectText)
    .addOption(onBudgetOption('at a limit, ask or stop the run (default: ask)'))
    .option('--json', 'print a JSON object', false)
    .addHelpText('after', example('sluice budget set project --max-cost 100 --project .'))
    .action(
      async (
        scope: BudgetScope,
        options: TargetOptions & LimitFlags & { project?: string; json: boolean },
      ) => {
        const { setBudget } = await import('../budgets.ts')
        const { onBudget } = options
        const data = await dataOf(options)
        context.exitCode = await setBudget(
          { ...options, scope, data, limits: limitsOf(options), onExceeded: onBudget },
          context.terminal,
        )
      },
    )

const addRemove = (budget: Command, context: CliContext) =>
  addTarget(budget.command('remove').addArgument(scopeArgument()))
    .description('remove a budget')
    .option('--project <project>', projectText)
    .addHelpText('after', example('sluice budget remove day'))
    .action(async (scope: BudgetScope, options: TargetOptions & { project?: string }) => {
      const { removeBudget } = await import('../budgets.ts')
      context.exitCode = await removeBudget({ ...options, scope, data: await dataOf(options) })
    })

const addApprovals = (program: Command, context: CliContext) =>
  addTarget(program.command('approvals'))
    .description('list what waits for an answer on a running server')
    .option('--session <session>', `only ${sessionWords}`)
    .option('--json', 'print one JSON object per line', false)
    .addHelpText('after', example('sluice approvals'))
    .action(async (options: TargetOptions & { session?: string; json: boolean }) => {
      const { listApprovals } = await import('../answer-approval.ts')
      context.exitCode = await listApprovals(
        { ...options, data: await dataOf(options) },
        context.terminal,
      )
    })

const addAnswer = (program: Command, context: CliContext) =>
  addTarget(program.command('answer'))
    .description('answer an approval on a running server')
    .argument('<approval>', 'the id that `sluice approvals` prints, or its beginning')
    .option('--allow', 'allow it; a limit is raised by as much as it was at first', false)
    .option('--deny', 'deny it', false)
    .option('--raise <amount>', 'raise a limit by dollars (5), tokens (200k) or time (30m)')
    .option('--stop', 'stop the run that has reached a limit', false)
    .option('--option <id>', 'choose what the agent offers; `sluice approvals` lists the ids')
    .option(
      '--answer <text>',
      'answer a question; once for each question, in their order',
      repeated,
    )
    .option('--message <text>', 'a message to the agent about the decision')
    .option('--json', 'print a JSON object', false)
    .addHelpText('after', example('sluice answer 3f2a --raise 5'))
    .action(
      async (
        approval: string,
        options: Omit<TerminalAnswer, 'approval' | 'data'> & { data?: string },
      ) => {
        const { answerFromTerminal } = await import('../answer-approval.ts')
        const data = await dataOf(options)
        context.exitCode = await answerFromTerminal(
          { ...options, approval, data },
          context.terminal,
        )
      },
    )
