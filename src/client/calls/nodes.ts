import type { NodeInfo, NodeList, NodePatch } from '../../api/types.ts'
import type { Caller, CallOptions } from '../caller.ts'
import { hasFields } from '../response.ts'
import { path } from '../transport.ts'

/** Calls about the nodes that serve the same sessions. */
export interface NodeCalls {
  /** Returns the nodes, and how they store what they share. */
  list(options?: CallOptions): Promise<NodeList>
  /** Drains a node, or lets it take sessions again. */
  update(name: string, change: NodePatch, options?: CallOptions): Promise<NodeInfo>
}

const isNodeList = hasFields<NodeList>('nodes')
const isNode = hasFields<NodeInfo>('name', 'state')

export const nodeCalls = (caller: Caller): NodeCalls => ({
  list: (options) => caller.json({ path: 'nodes' }, isNodeList, options),
  update: (name, body, options) =>
    caller.json({ method: 'PATCH', path: path`nodes/${name}`, body }, isNode, options),
})
