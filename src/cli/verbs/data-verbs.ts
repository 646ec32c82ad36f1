import type { Command } from 'commander'
import type { MoveDataOptions } from '../move-data.ts'
import {
  dataOf,
  dataOption,
  example,
  existingFile,
  natsAddresses,
  positiveNumber,
} from './options.ts'
import type { CliContext } from './verb.ts'

/** Adds `backup`, `restore`, `compact`, `check` and `migrate`. */
export const dataVerbs = (program: Command, context: CliContext): void => {
  addBackup(program, context)
  addRestore(program, context)
  addCompact(program, context)
  addCheck(program, context)
  addMigrate(program, context)
}

const addBackup = (program: Command, context: CliContext) =>
  program
    .command('backup')
    .description('copy all sessions into one file; the server may keep running')
    .argument('<file>', 'the file to write')
    .addOption(dataOption())
    .option('--force', 'replace the file if it exists', false)
    .option('--json', 'print a JSON object', false)
    .addHelpText('after', example('sluice backup ~/sluice-backup.db'))
    .action(async (file: string, options: { data?: string; force: boolean; json: boolean }) => {
      const { backUp } = await import('../backup.ts')
      context.exitCode = await backUp(
        { ...options, file, data: await dataOf(options) },
        context.terminal,
      )
    })

interface RestoreOptions {
  data?: string
  at?: string
  force: boolean
  json: boolean
}

const addRestore = (program: Command, context: CliContext) =>
  program
    .command('restore')
    .description('put a backup into a data directory; only while no server runs')
    .argument('<file>', 'a file that `sluice backup` has written')
    .addOption(dataOption())
    .option('--force', 'replace the log that is there, and keep it under another name', false)
    .option(
      '--at <time>',
      'restore the sessions as they were then: a date and time, or 2h for two hours ago',
    )
    .option('--json', 'print a JSON object', false)
    .addHelpText('after', example('sluice restore ~/sluice-backup.db --data ~/.sluice'))
    .action(async (file: string, options: RestoreOptions) => {
      const { restore } = await import('../restore.ts')
      context.exitCode = await restore(
        { ...options, file, data: await dataOf(options) },
        context.terminal,
      )
    })

const addCompact = (program: Command, context: CliContext) =>
  program
    .command('compact')
    .description('make the log as small as it can be; only while no server runs')
    .addOption(dataOption())
    .action(async (options: { data?: string }) => {
      const { compact } = await import('../compact.ts')
      context.exitCode = await compact({ data: await dataOf(options) }, context.terminal)
    })

const addCheck = (program: Command, context: CliContext) =>
  program
    .command('check')
    .description('look for damage in everything that is stored; the server may keep running')
    .addOption(dataOption())
    .option(
      '--repair',
      'copy the log, then repair what can be repaired; only while no server runs',
      false,
    )
    .option('--json', 'print a JSON object', false)
    .addHelpText(
      'after',
      '\nExits with 0 when nothing is damaged, 1 when something is, 2 when it could not check.',
    )
    .action(async (options: { data?: string; repair: boolean; json: boolean }) => {
      const { check } = await import('../check.ts')
      context.exitCode = await check({ ...options, data: await dataOf(options) }, context.terminal)
    })

type GivenMoveDataOptions = Omit<MoveDataOptions, 'data'> & { data?: string }

const addMigrate = (program: Command, context: CliContext) =>
  program
    .command('migrate')
    .description('move a data directory into a NATS cluster, or back; only while no server runs')
    .addOption(dataOption())
    .option('--to-nats <addresses>', 'copy the data directory into this cluster', natsAddresses)
    .option('--from-nats <addresses>', 'copy this cluster into the data directory', natsAddresses)
    .option('--creds <file>', 'a file with NATS credentials', existingFile)
    .option('--tenant <name>', 'whose data it is, in a cluster of several tenants')
    .option('--replicas <number>', 'how many NATS servers store everything', positiveNumber)
    .option('--json', 'print a JSON object', false)
    .addHelpText('after', example('sluice migrate --data ~/.sluice --to-nats nats://a:4222,b:4222'))
    .action(async (options: GivenMoveDataOptions) => {
      const { moveData } = await import('../move-data.ts')
      context.exitCode = await moveData(
        { ...options, data: await dataOf(options) },
        context.terminal,
      )
    })
