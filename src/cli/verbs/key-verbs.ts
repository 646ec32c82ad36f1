import type { Command } from 'commander'
import type { AuditOptions } from '../audit.ts'
import type { AddKeyOptions } from '../keys.ts'
import {
  byteCount,
  dataOf,
  dataOption,
  duration,
  example,
  keyName,
  positiveNumber,
  repeated,
  wholeNumber,
} from './options.ts'
import type { CliContext } from './verb.ts'

/** Adds `keys` and `audit`. */
export const keyVerbs = (program: Command, context: CliContext): void => {
  const keys = program.command('keys').description('manage API keys').helpCommand(false)
  addKeysAdd(keys, context)
  addKeysList(keys, context)
  addKeysRevoke(keys, context)
  addAudit(program, context)
}

type WithoutData<Options> = Omit<Options, 'data'> & { data?: string }

const addKeysAdd = (keys: Command, context: CliContext) =>
  keys
    .command('add')
    .description('create a key and print it once')
    .argument('<name>', 'what the key is for', keyName)
    .option('--scopes <list>', 'from read, prompt, approve, rewrite, admin', 'read')
    .option('--project <dir|id>', 'see only this project; repeatable', repeated, [])
    .option(
      '--session <session>',
      'see only this session, by its id or name; repeatable',
      repeated,
      [],
    )
    .option('--expires <time>', 'end the key after this time, such as 30d or 12h', duration)
    .option('--owner <name>', 'whose key it is', keyName)
    .option('--max-sessions <number>', 'how many sessions it may have created', wholeNumber)
    .option('--max-streams <number>', 'how many streams may be open with it', wholeNumber)
    .option('--max-disk <size>', 'how much its sessions may fill, such as 500MB', byteCount)
    .addOption(dataOption())
    .option('--json', 'print a JSON object', false)
    .addHelpText('after', example('TOKEN=$(sluice keys add ci --scopes read,prompt --project .)'))
    .action(async (name: string, options: WithoutData<Omit<AddKeyOptions, 'name'>>) => {
      const { addKey } = await import('../keys.ts')
      const data = await dataOf(options)
      context.exitCode = await addKey({ ...options, name, data }, context.terminal)
    })

const addKeysList = (keys: Command, context: CliContext) =>
  keys
    .command('list')
    .description('list the keys, without their secrets')
    .addOption(dataOption())
    .option('--json', 'print one JSON object per line', false)
    .action(async (options: { data?: string; json: boolean }) => {
      const { listKeys } = await import('../keys.ts')
      const data = await dataOf(options)
      context.exitCode = await listKeys({ json: options.json, data }, context.terminal)
    })

const addKeysRevoke = (keys: Command, context: CliContext) =>
  keys
    .command('revoke')
    .description('revoke a key with its tokens and the keys that it created, at once')
    .argument('<id>', 'the id that `sluice keys list` prints')
    .addOption(dataOption())
    .option('--json', 'print a JSON object', false)
    .action(async (id: string, options: { data?: string; json: boolean }) => {
      const { revokeKey } = await import('../keys.ts')
      const data = await dataOf(options)
      context.exitCode = await revokeKey({ id, json: options.json, data }, context.terminal)
    })

const addAudit = (program: Command, context: CliContext) =>
  program
    .command('audit')
    .description('list who did what, the newest last')
    .option('--session <session>', 'only what was done to this session, by its id or name')
    .option('--actor <name|id>', 'only what this key or browser did')
    .option('--action <action>', 'only this, such as prompt')
    .option('--limit <number>', 'how many entries at most', positiveNumber, 100)
    .addOption(dataOption())
    .option('--json', 'print one JSON object per line', false)
    .addHelpText('after', example('sluice audit --actor phone --limit 20'))
    .action(async (options: WithoutData<AuditOptions>) => {
      const { listAudit } = await import('../audit.ts')
      context.exitCode = await listAudit(
        { ...options, data: await dataOf(options) },
        context.terminal,
      )
    })
