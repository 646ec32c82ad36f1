import type { Health, NodeInfo, NodeList } from '../api/types.ts'
import { plainLine } from './clean-text.ts'
import { exitCodes } from './exit.ts'
import { onServer, requireServerAt, type ServerTarget } from './remote/server-target.ts'
import type { Terminal } from './terminal.ts'

interface NodesOptions extends ServerTarget {
  json: boolean
}

/** How long the sessions of a node may take to be released. */
const drainMs = 70_000

/** `sluice nodes`: the nodes that share their sessions over NATS. */
export const listNodes = async (options: NodesOptions, terminal: Terminal): Promise<number> => {
  const client = requireServerAt(options)
  const [found, health] = await onServer(options, () =>
    Promise.all([client.nodes.list(), client.health()]),
  )
  if (options.json) for (const node of found.nodes) terminal.writeJson(node)
  else terminal.write(nodesText(found, health))
  await terminal.flush()
  return exitCodes.done
}

/** `sluice nodes drain`: releases the sessions of a node, or lets it take sessions again. */
export const drainNode = async (
  { name, undo, ...options }: NodesOptions & { name: string; undo: boolean },
  terminal: Terminal,
): Promise<number> => {
  const client = requireServerAt(options)
  const state = undo ? 'active' : 'draining'
  const node = await onServer(options, () =>
    client.nodes.update(name, { state }, { timeoutMs: drainMs }),
  )
  if (options.json) terminal.writeJson(node)
  else terminal.write(undo ? `Node ${name} takes sessions again.\n` : drainedText(node))
  await terminal.flush()
  return exitCodes.done
}

const drainedText = ({ name, running, sessions }: NodeInfo): string => {
  const rest =
    sessions === 0
      ? 'It has no sessions any more.'
      : `${sessions} of its sessions ${sessions === 1 ? 'has' : 'have'} work (${running} running) and finish it first.`
  return `Node ${name} drains. ${rest} Undo it with \`sluice nodes drain ${name} --undo\`.\n`
}

/** The table of the nodes, and below it how safe their data is, or what is wrong. */
export const nodesText = ({ nodes, storage }: NodeList, { reasons }: Health): string => {
  if (nodes.length === 0)
    return 'This server is the only one: it stores everything itself. See docs/cluster.md for several nodes.\n'
  const rows = [headings, ...nodes.map(cellsOf)]
  const widths = headings.map((_, column) => Math.max(...rows.map((row) => widthAt(row, column))))
  const lines = rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  )
  // While NATS is away, what it promises does not hold.
  const away = reasons.find(({ code }) => code === 'log_unreachable')
  const note = away?.detail ?? storage?.promise
  return `${lines.join('\n')}\n${note === undefined ? '' : `\n${plainLine(note)}\n`}`
}

const widthAt = (row: readonly string[], column: number): number => row[column]?.length ?? 0

const headings = ['NODE', 'STATE', 'VERSION', 'SESSIONS', 'RUNNING', 'LEASE', 'LAG', 'NATS', 'URL']

const cellsOf = (node: NodeInfo): string[] => [
  `${plainLine(node.name)}${node.isThis ? '*' : ''}`,
  node.state,
  plainLine(node.version),
  String(node.sessions),
  `${node.running}/${node.maxAgents}`,
  `${(node.leaseAgeMs / 1000).toFixed(1)}s of ${node.leaseMs / 1000}s`,
  node.lag === undefined ? '-' : String(node.lag),
  plainLine(node.nats ?? '-'),
  plainLine(node.url),
]
