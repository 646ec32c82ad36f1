import { Fault } from '../shared/fault.ts'
import { runningServer } from './connect-to-server.ts'

/** The name of the node of a cluster that has a data directory open; undefined for any other path. */
export const nodeOn = (data: string): string | undefined => {
  try {
    return runningServer(data)?.node
  } catch {
    // A file, or a directory of somebody else: the command that opens it says so.
    return undefined
  }
}

/** For commands that read the log in a data directory: a node has its sessions in NATS. */
export const refuseNode = (data: string): void => {
  const node = nodeOn(data)
  if (node === undefined) return
  throw new Fault(
    'data_not_opened',
    `Node ${node} runs on ${data}, and stores its sessions in NATS. This command reads data directories only. docs/cluster.md, “The command line”, lists what to use instead.`,
  )
}
