import { type Command, InvalidArgumentError, Option } from 'commander'
import type { RecordOptions } from '../record.ts'
import {
  absolutePath,
  agentChoices,
  anyAgentName,
  dataOf,
  dataOption,
  example,
  portNumber,
  sandboxOption,
} from './options.ts'
import type { CliContext } from './verb.ts'

/** Adds `doctor` and `record`. */
export const supportVerbs = (program: Command, context: CliContext): void => {
  addDoctor(program, context)
  addRecord(program, context)
}

const addDoctor = (program: Command, context: CliContext) =>
  program
    .command('doctor')
    .description('check everything that Sluice needs, and collect what a bug report needs')
    .option('--port <number>', 'the port that the server would use', portNumber, 3000)
    .addOption(dataOption())
    .option('--json', 'print a JSON object', false)
    .addHelpText('after', example('sluice doctor'))
    .action(async (options: { data?: string; port: number; json: boolean }) => {
      const { doctor } = await import('../doctor.ts')
      const data = await dataOf(options)
      context.exitCode = await doctor({ ...options, data }, context.terminal)
    })

const addRecord = (program: Command, context: CliContext) =>
  program
    .command('record')
    .description('write all bytes of an agent and its events to files, for tests and bug reports')
    .argument('<agent>', agentChoices, anyAgentName)
    .argument('[prompts...]', 'one or more prompts; without any, each line of stdin is one')
    .option('--to <directory>', 'where to write the files', absolutePath, 'recordings')
    .option('--name <name>', 'name of the files (default: the time)', fileName)
    .option('--redact', 'hide keys, tokens, e-mail addresses and home paths in the files', false)
    .addOption(
      new Option('--approve <how>', 'how to answer when the agent requests an approval')
        .choices(['allow', 'deny'])
        .default('deny'),
    )
    .option('--model <model>', 'the model, by the name that the agent uses')
    .option('--cwd <directory>', 'the directory to work in', absolutePath, process.cwd())
    .option('--trust-project', 'load the settings, hooks and extensions of the directory', false)
    .addOption(sandboxOption())
    .option('--json', 'print the paths of the files as JSON, and nothing else', false)
    .addHelpText('after', example('sluice record pi "List the files" --to ~/report --redact'))
    .action(async (agent: string, prompts: string[], options) => {
      const { record } = await import('../record.ts')
      const parsed: Omit<RecordOptions, 'agent' | 'prompts'> = options
      const { terminal, closed } = context
      context.exitCode = await record({ agent, prompts, ...parsed }, terminal, closed)
    })

const fileName = (text: string): string => {
  if (/^[\w][\w.-]{0,99}$/.test(text)) return text
  throw new InvalidArgumentError('Use letters, digits, “-”, “_” and “.”, such as slow-tool.')
}
