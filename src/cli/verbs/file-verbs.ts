import { type Command, InvalidArgumentError } from 'commander'
import { isAgentName } from '../../agents/known-agents.ts'
import type { OutName } from '../out-names.ts'
import { agentName, dataOf, dataOption, example, outOption, repeated } from './options.ts'
import type { CliContext } from './verb.ts'

/** Adds `export`, `import`, `share` and `replay`. */
export const fileVerbs = (program: Command, context: CliContext): void => {
  addExport(program, context)
  addImport(program, context)
  addShare(program, context)
  addReplay(program, context)
}

interface ExportFlags {
  data?: string
  output?: string
  redact: boolean
  keepImages: boolean
  hide: string[]
  force: boolean
  json: boolean
}

const addExport = (program: Command, context: CliContext) =>
  program
    .command('export')
    .description('write a session as one file: its events and blobs')
    .argument('<session>', 'its id, the beginning of it, or its name')
    .option('-o, --output <file>', 'the file to write, - for stdout (default: sluice-<id>.sluice)')
    .option('--redact', 'hide keys, tokens, addresses, home paths and images', false)
    .option('--keep-images', 'with --redact: keep images, which no rule can read', false)
    .option('--hide <word>', 'also hide this word; can be repeated', repeated, [])
    .option('--force', 'replace the file if it exists', false)
    .addOption(dataOption())
    .option('--json', 'print a JSON object', false)
    .addHelpText('after', example('sluice export 3f2a --redact -o session.sluice'))
    .action(async (session: string, options: ExportFlags) => {
      const { exportSession } = await import('../export-session.ts')
      context.exitCode = await exportSession(
        { ...options, session, data: await dataOf(options) },
        context.terminal,
      )
    })

interface ImportFlags {
  data?: string
  path?: string
  dryRun: boolean
  json: boolean
}

const addImport = (program: Command, context: CliContext) =>
  program
    .command('import')
    .description('add the sessions that agents have stored here, or a session from a file')
    .argument('[agent|file...]', 'agents (default: all), or a file of `sluice export`, - for stdin')
    .option('--path <directory>', 'the directory of the agent’s sessions, if it is another one')
    .option('--dry-run', 'only count what would be read', false)
    .addOption(dataOption())
    .option('--json', 'print JSON objects', false)
    .addHelpText('after', example('sluice import claude pi'))
    .action(async (names: string[], options: ImportFlags) => {
      const given = { ...options, data: await dataOf(options) }
      const [file] = names
      if (names.length === 1 && file !== undefined && !isAgentName(file)) {
        const { importSession } = await import('../import-session.ts')
        context.exitCode = await importSession({ ...given, file }, context.terminal)
        return
      }
      const { importHistory } = await import('../import-history.ts')
      const agents = { ...given, agents: names }
      context.exitCode = await importHistory(agents, context.terminal, context.closed)
    })

const addShare = (program: Command, context: CliContext) =>
  program
    .command('share')
    .description('write a page that replays a session, redacted; it needs no server')
    .argument('<session>', 'its id, the beginning of it, or its name')
    .option('-o, --output <file>', 'the page to write, - for stdout (default: sluice-<id>.html)')
    .option('--no-redact', 'hide nothing: keep keys, tokens, addresses, home paths and images')
    .option('--keep-images', 'keep images, which no rule can read', false)
    .option('--hide <word>', 'also hide this word; can be repeated', repeated, [])
    .option('--force', 'replace the file if it exists', false)
    .addOption(dataOption())
    .option('--json', 'print a JSON object', false)
    .addHelpText('after', example('sluice share 3f2a -o session.html'))
    .action(async (session: string, options: ExportFlags) => {
      const { shareSession } = await import('../share-session.ts')
      context.exitCode = await shareSession(
        { ...options, session, data: await dataOf(options) },
        context.terminal,
      )
    })

interface ReplayFlags {
  data?: string
  agent?: string
  speed?: number
  step: boolean
  out: OutName
}

const speedFactor = (text: string): number => {
  const value = Number(text)
  if (text.trim() !== '' && value >= 0 && value <= 100) return value
  throw new InvalidArgumentError('Give a number from 0 (no waits) to 100.')
}

const addReplay = (program: Command, context: CliContext) =>
  program
    .command('replay')
    .description('print a session again, as it went')
    .argument('<session|file>', 'a session, or a file: of `export`, of events, of an agent')
    .option('--speed <factor>', 'how many times as fast; 0 does not wait', speedFactor)
    .option('--step', 'wait for a key after each message and each tool', false)
    .option('--agent <agent>', 'whose stream the file is, if that is unclear', agentName)
    .addOption(outOption())
    .addOption(dataOption())
    .addHelpText('after', example('sluice replay 3f2a --speed 5'))
    .action(async (source: string, options: ReplayFlags) => {
      const { replaySession } = await import('../replay-session.ts')
      context.exitCode = await replaySession(
        { ...options, source, data: await dataOf(options) },
        context.terminal,
      )
    })
