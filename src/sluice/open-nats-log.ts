import { hostname } from 'node:os'
import type { JetStreamLog } from '../log/jetstream/jetstream-log.ts'
import { LogFault, type LogFaultCode } from '../log/log-fault.ts'
import { Fault } from '../shared/fault.ts'
import { dataFaultOf, requireWhole } from './open-log.ts'

/** A NATS cluster that stores everything, so that several nodes serve the same sessions. */
export interface NatsSettings {
  /** Addresses such as `nats://127.0.0.1:4222`. */
  servers: readonly string[]
  /** A file with NATS credentials, or with the seed of an nkey. */
  creds?: string | undefined
  /** The name of this node. Each node has another one. Default: the name of the machine. */
  node?: string | undefined
  /** How many servers store everything. Default: as it is; at first 3 in a cluster, else 1. */
  replicas?: number | undefined
  /** How long this node may be silent before others take over its sessions. Default: 15 seconds. */
  leaseMs?: number | undefined
  /** Whose data it is. Several tenants can share a cluster. Default: `default`. */
  tenant?: string | undefined
  /**
   * Whether the conversations of agents are stored in the cluster, so that another node can continue them. Default:
   * false.
   */
  history?: boolean | undefined
}

/** Five renewals must fit, each with an answer of NATS. */
const minLeaseMs = 1000

/** Throws a `usage` fault for names that NATS cannot have. */
export const checkNatsSettings = ({
  node,
  tenant,
  replicas = 1,
  leaseMs = minLeaseMs,
  servers,
}: NatsSettings): void => {
  if (!(leaseMs >= minLeaseMs)) throw new Fault('usage', 'A lease lasts at least one second.')
  for (const [what, name] of Object.entries({ node, tenant }))
    if (name !== undefined && !/^[\w-]{1,64}$/.test(name))
      throw new Fault(
        'usage',
        `The name of the ${what} can have letters, digits, - and _, at most 64: ${name}`,
      )
  if (tenant?.endsWith('_nodes'))
    throw new Fault('usage', `The name of a tenant cannot end with _nodes: ${tenant}`)
  if (servers.length === 0) throw new Fault('usage', 'Give the address of a NATS server.')
  if (!Number.isInteger(replicas) || replicas < 1 || replicas > 5)
    throw new Fault('usage', 'NATS stores everything on 1 to 5 servers; use 1, 3 or 5.')
}

/** The name of this node. */
export const nodeNameOf = ({ node }: NatsSettings): string =>
  node ??
  (hostname()
    .split('.')[0]
    ?.replaceAll(/[^\w-]/g, '-')
    .slice(0, 64) ||
    'node')

/** Opens the log in a NATS cluster. The client library is large, so it is loaded here. */
export const openNatsLog = async (
  directory: string,
  settings: NatsSettings,
  onError: (cause: unknown) => void,
  { isMove = false } = {},
): Promise<JetStreamLog> => {
  checkNatsSettings(settings)
  const [{ openJetStreamLog }, { natsOptionsOf }] = await Promise.all([
    import('../log/jetstream/jetstream-log.ts'),
    import('../log/jetstream/nats-login.ts'),
  ])
  const { tenant, replicas } = settings
  // A move writes the audit of others: its entries name no node.
  const node = isMove ? undefined : nodeNameOf(settings)
  const open = async (): Promise<JetStreamLog> => {
    const options = { ...natsOptionsOf(settings), node, tenant, replicas, onError }
    return openJetStreamLog(directory, options)
  }
  try {
    const log = await open()
    return isMove ? log : await requireWhole(log)
  } catch (cause) {
    throw natsFaultOf(cause)
  }
}

/** Whether a tenant may have data in a NATS cluster. Creates nothing there. */
export const isTenantStored = async (settings: NatsSettings): Promise<boolean> => {
  checkNatsSettings(settings)
  const [{ hasTenant }, { natsOptionsOf }] = await Promise.all([
    import('../log/jetstream/has-tenant.ts'),
    import('../log/jetstream/nats-login.ts'),
  ])
  try {
    return await hasTenant(natsOptionsOf(settings), settings.tenant ?? 'default')
  } catch (cause) {
    throw natsFaultOf(cause)
  }
}

const natsFaultOf = (cause: unknown): unknown =>
  cause instanceof LogFault && natsCodes.has(cause.code)
    ? new Fault('nats_not_opened', cause.message, { cause })
    : dataFaultOf(cause)

/** Codes of faults of the cluster, not of the data directory. */
const natsCodes: ReadonlySet<LogFaultCode> = new Set<LogFaultCode>([
  ...(['unreachable', 'login_refused', 'jetstream_off', 'too_few_servers'] as const),
])
