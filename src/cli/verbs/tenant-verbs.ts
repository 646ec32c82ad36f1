import { type Command, Option } from 'commander'
import type { NatsConfigVerbOptions, NatsSetupVerbOptions } from '../nats-config.ts'
import {
  absolutePath,
  byteCount,
  example,
  existingFile,
  natsAddresses,
  positiveNumber,
  repeated,
} from './options.ts'
import type { CliContext } from './verb.ts'

/** Adds `nats-config` and `nats-setup`. */
export const tenantVerbs = (program: Command, context: CliContext): void => {
  addConfig(program, context)
  addSetup(program, context)
}

const tenantOption = () =>
  new Option('--tenant <name>', 'a tenant; repeatable').argParser(repeated).makeOptionMandatory()

const addConfig = (program: Command, context: CliContext) =>
  program
    .command('nats-config')
    .description('print the users and rights of tenants for nats-server')
    .addOption(tenantOption())
    .option(
      '--node-user <name>',
      'a user for the nodes of each tenant; repeatable (default: one user per tenant)',
      repeated,
      [],
    )
    .option(
      '--keys <directory>',
      'make an nkey for each user, and write the seeds here',
      absolutePath,
    )
    .option('--fixed-streams', 'let only an administrator create streams, and limit them', false)
    .option('--one-account', 'put all tenants into one account', false)
    .addHelpText('after', example('sluice nats-config --tenant a --tenant b --keys ./keys'))
    .action(async (options: NatsConfigVerbOptions) => {
      const { printNatsConfig } = await import('../nats-config.ts')
      context.exitCode = await printNatsConfig(options, context.terminal)
    })

const addSetup = (program: Command, context: CliContext) =>
  program
    .command('nats-setup')
    .description('create the streams of tenants, and limit what they store')
    .addOption(
      new Option('--nats <addresses>', 'the NATS cluster, with the login of the first user')
        .argParser(natsAddresses)
        .makeOptionMandatory(),
    )
    .option('--creds <file>', 'a file with NATS credentials', existingFile)
    .addOption(tenantOption())
    .option('--replicas <number>', 'how many NATS servers store everything', positiveNumber)
    .option('--max-bytes <size>', 'how much each tenant may store on one server', byteCount)
    .addHelpText(
      'after',
      example(
        'sluice nats-setup --nats nats://a:4222 --creds keys/a-admin.nk --tenant a --max-bytes 20GB',
      ),
    )
    .action(async (options: NatsSetupVerbOptions) => {
      const { setUpNats } = await import('../nats-config.ts')
      context.exitCode = await setUpNats(options, context.terminal)
    })
