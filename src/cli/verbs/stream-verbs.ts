import type { Command } from 'commander'
import type { AgentName } from '../../agents/table.ts'
import type { ChatOptions } from '../chat.ts'
import type { OutName } from '../outputs.ts'
import type { RunAgentOptions } from '../run.ts'
import {
  absolutePath,
  agentChoices,
  agentName,
  approveOption,
  dataOf,
  dataOption,
  example,
  outOption,
  sandboxOption,
  sessionWords,
  wholeNumber,
} from './options.ts'
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
    .argument('<agent>', agentChoices, agentName)
    .argument('[file]', 'a recording, or - for stdin', '-')
    .addOption(outOption())
    .option('--pace <ms>', 'wait this long between lines, to replay a recording', wholeNumber)
    .addHelpText('after', example('pi -p --mode json "Hello" | sluice decode pi --out events'))
    .action(async (agent: AgentName, file: string, options: { out: OutName; pace?: number }) => {
      const { decode } = await import('../decode.ts')
      context.exitCode = await decode({ agent, file, ...options }, context.terminal)
    })

const addRun = (program: Command, context: CliContext) =>
  program
    .command('run')
    .description('start an agent with one prompt and show its stream')
    .argument('<agent>', agentChoices, agentName)
    .argument('<prompt>', 'the prompt for the agent; put -- before a word that begins with -')
    .argument('[extra...]', 'after --: more arguments for the agent')
    .addOption(outOption())
    .option('--model <model>', 'the model, by the name that the agent uses')
    .option('--cwd <directory>', 'the directory to work in', absolutePath, process.cwd())
    .option('--trust-project', 'load the settings, hooks and extensions of the directory', false)
    .addOption(sandboxOption())
    .addHelpText('after', example('sluice run pi "Fix the failing test" -- --no-session'))
    .action(async (agent: AgentName, prompt: string, extra: string[], options) => {
      const { runAgent } = await import('../run.ts')
      const parsed: Omit<RunAgentOptions, 'agent' | 'prompt' | 'extra'> = options
      const { terminal, closed } = context
      context.exitCode = await runAgent({ agent, prompt, extra, ...parsed }, terminal, closed)
    })

const addChat = (program: Command, context: CliContext) =>
  program
    .command('chat')
    .description('talk to an agent in the terminal; the session is stored')
    .argument('[agent]', `${agentChoices} (default: pi)`, agentName)
    .option('--cwd <directory>', 'the directory to work in (default: this one)', absolutePath)
    .option('--model <model>', 'the model, by the name that the agent uses')
    .addOption(approveOption())
    .option('--resume <session>', `continue ${sessionWords}`)
    .addOption(sandboxOption())
    .addOption(dataOption())
    .addHelpText('after', example('sluice chat claude --approve ask'))
    .action(async (agent: AgentName | undefined, options) => {
      const { chat } = await import('../chat.ts')
      const parsed: Omit<ChatOptions, 'agent' | 'data'> = options
      const { terminal, closed } = context
      context.exitCode = await chat(
        { ...parsed, ...(agent !== undefined && { agent }), data: await dataOf(options) },
        terminal,
        closed,
      )
    })

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
