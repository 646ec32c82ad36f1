import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { networkInterfaces } from 'node:os'
import { setImmediate } from 'node:timers/promises'
import { descendantsOf } from './descendants.ts'
import { socketsOf } from './port-owner.ts'
import { childrenOf, environmentVariable, listPids } from './proc.ts'
import { processVariable } from './process-tags.ts'
import { type RunningAgent, runningAgents } from './running-agents.ts'

/** The two ends of a connection, as the server sees them. */
export interface ConnectionEnds {
  remoteAddress?: string | undefined
  remotePort?: number | undefined
  localPort?: number | undefined
}

/**
 * Whether a connection comes from an agent of this process, or from anything that an agent started:
 * its descendants, and orphans by their tag. A client on this machine that has closed its end already
 * cannot be identified, and counts as one. Only on Linux, and only while agents run.
 *
 * This is a second line behind the sandbox. A process that cleared its environment and left its
 * parent, or that uses a proxy, is not recognised without a sandbox.
 */
export const isFromAgent = async (connection: ConnectionEnds): Promise<boolean> => {
  const agents = runningAgents.list()
  const { remoteAddress = '' } = connection
  if (agents.length === 0 || process.platform !== 'linux') return false
  const isLoop = isLoopbackAddress(remoteAddress)
  if (!isLoop && !isOwnAddress(remoteAddress)) return false
  const sockets = await clientSockets(connection)
  if (sockets.size === 0) return isLoop
  return owns(await processesOf(agents), sockets)
}

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
const clientSockets = async ({
  remotePort = 0,
  localPort = 0,
}: ConnectionEnds): Promise<Set<string>> => {
  const [client, server] = [remotePort, localPort].map(
    (port) => `:${port.toString(16).toUpperCase().padStart(4, '0')} `,
  )
  const row = new RegExp(`^ *\\d+: [0-9A-F]+${client}[0-9A-F]+${server}`)
  const found = new Set<string>()
  for (const file of ['/proc/net/tcp', '/proc/net/tcp6'])
    for (const line of await linesOf(file)) {
      const inode = row.test(line) ? line.trim().split(/\s+/)[9] : undefined
      if (inode !== undefined) found.add(inode)
    }
  found.delete(closedSocket)
  return found
}

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
const processesOf = async (agents: readonly RunningAgent[]): Promise<number[]> => {
  const pause = createPauses()
  const found = new Set(agents.map(({ pid }) => pid))
  // The set grows while it is read, until the last generation has no children.
  for (const pid of found) {
    await pause()
    for (const child of listsChildren ? childrenOf(pid) : descendantsOf(pid)) found.add(child)
  }

  // Nothing leaves a sandbox, so only processes outside can lose their parent.
  const tags = new Set(agents.flatMap(({ tag, isSandboxed }) => (isSandboxed ? [] : (tag ?? []))))
  if (tags.size > 0)
    for (const pid of listPids()) {
      await pause()
      const tag = found.has(pid) ? undefined : environmentVariable(pid, processVariable)
      if (tag !== undefined && tags.has(tag)) found.add(pid)
    }
  return [...found]
}

const owns = async (pids: readonly number[], sockets: ReadonlySet<string>): Promise<boolean> => {
  const pause = createPauses()
  for (const pid of pids) {
    await pause()
    if (socketsOf(pid).some((socket) => sockets.has(socket))) return true
  }
  return false
}

/** How long a search may hold up everything else. */
const sliceMs = 2

/** Returns a function that lets other work run when a slice of time is used up. */
const createPauses = (): (() => Promise<void> | undefined) => {
  let until = performance.now() + sliceMs
  return () => {
    if (performance.now() < until) return undefined
    return setImmediate().then(() => {
      until = performance.now() + sliceMs
    })
  }
}
