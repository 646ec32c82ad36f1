import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { networkInterfaces } from 'node:os'
import { findAgentProcesses } from './agent-processes.ts'
import { connectionOwners } from './lsof.ts'
import { socketsOf } from './port-owner.ts'
import { childrenOf } from './proc.ts'
import { hasProc, processTable } from './process-table.ts'
import { type RunningAgent, runningAgents } from './running-agents.ts'
import { terminalAgents } from './terminal-agents.ts'
import { createTimeSlices } from './time-slices.ts'

/** The two ends of a connection, as the server sees them. */
export interface ConnectionEnds {
  remoteAddress?: string | undefined
  remotePort?: number | undefined
  localPort?: number | undefined
}

/**
 * Whether a connection comes from an agent of this process, from one in a terminal that asks here, or
 * from anything that an agent started: its descendants, and orphans by their mark. A client on this
 * machine that has closed its end already cannot be identified, and counts as one. Only while agents
 * run. Systems without /proc need `lsof`, which shows less: a client that it does not show is not taken
 * for an agent.
 *
 * This is a second line behind the sandbox. A process that uses a proxy is not recognised without a
 * sandbox.
 */
export const isFromAgent = async (connection: ConnectionEnds): Promise<boolean> => {
  const { remoteAddress = '' } = connection
  if (agents().length === 0) return false
  const isLoop = isLoopbackAddress(remoteAddress)
  if (!isLoop && !isOwnAddress(remoteAddress)) return false
  if (!hasProc) return isOwnedByAgent(connection)
  const { rows, agentSockets } = await look()
  const sockets = clientSockets(connection, rows)
  if (sockets.size === 0) return isLoop
  return [...sockets].some((socket) => agentSockets.has(socket))
}

/** The agents that Sluice runs, and those in terminals whose hooks ask here. */
const agents = (): readonly RunningAgent[] => [...runningAgents.list(), ...terminalAgents.list()]

const isOwnedByAgent = async (connection: ConnectionEnds): Promise<boolean> => {
  const owners = await connectionOwners()
  const owner = owners.get(`${connection.remotePort}>${connection.localPort}`)
  if (owner === undefined || owner === process.pid) return false
  return (await withOrphans(agents())).includes(owner)
}

/** What is open at one moment. */
interface OpenSockets {
  /** The kernel’s table of connections. */
  rows: string[]
  /** The sockets of the agents and of everything that they started, by inode. */
  agentSockets: ReadonlySet<string>
}

let current: Promise<OpenSockets> | undefined
let next: Promise<OpenSockets> | undefined

/** Looks once for all connections that arrive while it is already looking for earlier ones. */
const look = (): Promise<OpenSockets> => {
  const start = () => {
    current = readOpenSockets().finally(() => {
      current = undefined
    })
    return current
  }
  if (!current) return start()
  const again = () => {
    next = undefined
    return start()
  }
  next ??= current.then(again, again)
  return next
}

const readOpenSockets = async (): Promise<OpenSockets> => ({
  rows: [...(await linesOf('/proc/net/tcp')), ...(await linesOf('/proc/net/tcp6'))],
  agentSockets: await socketsOfAll(await processesOf(agents())),
})

const isLoopbackAddress = (address: string): boolean =>
  address === '::1' || /^(?:::ffff:)?127\./.test(address)

/** A program can also reach the server through another address of the machine. */
const isOwnAddress = (address: string): boolean => {
  const plain = address.replace(/^::ffff:/, '')
  return Object.values(networkInterfaces()).some((each) =>
    each?.some((own) => own.address === plain),
  )
}

/** The inode of a socket that no process has open any more. */
const closedSocket = '0'

/** The open sockets at the client’s end of a connection, by inode. */
const clientSockets = (
  { remotePort = 0, localPort = 0 }: ConnectionEnds,
  rows: readonly string[],
): Set<string> => {
  const [client, server] = [remotePort, localPort].map(
    (port) => `:${port.toString(16).toUpperCase().padStart(4, '0')} `,
  )
  const row = new RegExp(`^ *\\d+: [0-9A-F]+${client}[0-9A-F]+${server}`)
  const inodes = rows.filter((line) => row.test(line)).map(inodeOf)
  return new Set(inodes.filter((inode) => inode !== closedSocket))
}

const inodeOf = (row: string): string => row.trim().split(/\s+/)[9] ?? closedSocket

/** On another thread: the kernel takes milliseconds to write its table. */
const linesOf = async (file: string): Promise<string[]> => {
  try {
    return (await readFile(file, 'latin1')).split('\n')
  } catch {
    return []
  }
}

/** Some kernels are built without these lists. */
const listsChildren = existsSync('/proc/thread-self/children')

/** The agents with everything that they started. */
const processesOf = async (running: readonly RunningAgent[]): Promise<number[]> => {
  // Nothing leaves a sandbox, so only processes outside can lose their parent.
  const isClosed = running.every(({ isSandboxed }) => isSandboxed)
  return isClosed && listsChildren ? descendantsOf(running) : withOrphans(running)
}

const descendantsOf = async (running: readonly RunningAgent[]): Promise<number[]> => {
  const pause = createTimeSlices()
  const found = new Set(running.map(({ pid }) => pid))
  // The set grows while it is read, until the last generation has no children.
  for (const pid of found) {
    await pause()
    for (const child of childrenOf(pid)) found.add(child)
  }
  return [...found]
}

const withOrphans = async (running: readonly RunningAgent[]): Promise<number[]> => {
  const rows = await processTable.readRows()
  const pause = createTimeSlices()
  const found = new Set<number>()
  for (const agent of running) {
    await pause()
    for (const { pid } of findAgentProcesses(agent, rows)) found.add(pid)
  }
  return [...found]
}

const socketsOfAll = async (pids: readonly number[]): Promise<Set<string>> => {
  const pause = createTimeSlices()
  const sockets = new Set<string>()
  for (const pid of pids) {
    await pause()
    for (const socket of socketsOf(pid)) sockets.add(socket)
  }
  return sockets
}
