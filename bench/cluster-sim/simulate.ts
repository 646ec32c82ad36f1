import { appendCost, type Costs, followerShare, leaderShare, measured } from './costs.ts'
import { createStation, createTimeline, type Station } from './timeline.ts'

/** A cluster and its load. */
export interface Scenario {
  agents: number
  /** How many messages each agent appends a second; undefined: the next one follows each acknowledgement. */
  messagesPerSecond: number | undefined
  eventsPerMessage: number
  /** How many readers each session has. */
  viewersPerAgent: number
  /** Streams of sessions. Each has a leader and two followers. */
  streams: number
  /** NATS servers, with so many cores each. */
  servers: number
  serverCores: number
  /** Nodes that run agents, and nodes that serve readers. Each works on one core. */
  agentNodes: number
  viewerNodes: number
  /** How many nodes the readers of one session are spread over. */
  nodesPerSession: number
  /** One machine with so many cores runs everything; undefined: each its own. */
  sharedCores?: number
  /** Which part of a core a process really gets. */
  speed?: number
  costs?: Costs
}

export interface Outcome {
  eventsPerSecond: number
  deliveriesPerSecond: number
  /** From the line of the agent to the acknowledgement, and to a reader. */
  ackMs: Quantiles
  readMs: Quantiles
  /** The part of its time that the busiest of each kind works. */
  usage: { agentNode: number; stream: number; server: number; viewerNode: number }
}

export interface Quantiles {
  p50: number
  p99: number
}

/** Simulates some time, of which the first third is not counted. */
export const simulate = (scenario: Scenario, milliseconds: number): Outcome => {
  const { agents, eventsPerMessage, messagesPerSecond, viewersPerAgent } = scenario
  const { costs = measured } = scenario
  const cost = appendCost(costs, eventsPerMessage)
  const timeline = createTimeline()
  const cluster = createCluster(scenario)
  const from = milliseconds / 3
  const acks: number[] = []
  const reads: number[] = []
  let acked = 0
  let delivered = 0

  const read = (agent: number, began: number, arrived: number): void => {
    const nodes = Math.min(scenario.nodesPerSession, scenario.viewerNodes)
    for (let copy = 0; copy < nodes && viewersPerAgent > 0; copy += 1) {
      const node = cluster.viewerNode(agent, copy)
      timeline.at(arrived + costs.hopMs, (time) => {
        const follow = costs.followMessageUs + costs.followEventUs * eventsPerMessage
        const share = viewersPerAgent / nodes
        const start = node.work(time, follow)
        // Readers are served one after the other: one of them, anywhere in the row, is observed.
        const place = Math.random()
        const end = node.work(start, costs.deliveryUs * share * eventsPerMessage)
        if (began < from) return
        delivered += share * eventsPerMessage
        reads.push(start + (end - start) * place + costs.hopMs - began)
      })
    }
  }

  const append = (agent: number, began: number): void => {
    const { owner, leader, followers, forward } = cluster.of(agent)
    const { serversUs, nodeUs } = cost
    const sent = owner.work(began, nodeUs + costs.decodeEventUs * eventsPerMessage)
    timeline.at(sent + costs.hopMs, (arrived) => {
      const stored = leader.work(arrived, serversUs * leaderShare)
      timeline.at(stored + costs.hopMs, (copying) => {
        const copies = followers.map((each) => each.work(copying, serversUs * followerShare))
        // Two of three have it: the leader and the faster of the others.
        timeline.at(Math.min(...copies) + costs.hopMs, (quorum) => {
          const nodes = viewersPerAgent > 0 ? scenario.nodesPerSession : 0
          read(agent, began, forward.work(quorum, costs.forwardUs * nodes))
          const end = quorum + costs.hopMs
          if (began >= from) {
            acked += 1
            acks.push(end - began)
          }
          if (messagesPerSecond === undefined) timeline.at(end, (time) => append(agent, time))
        })
      })
    })
  }

  const everyMs = messagesPerSecond === undefined ? 0 : 1000 / messagesPerSecond
  const repeat = (agent: number) => (time: number) => {
    append(agent, time)
    if (everyMs > 0) timeline.at(time + everyMs * (0.5 + Math.random()), repeat(agent))
  }
  for (let agent = 0; agent < agents; agent += 1)
    timeline.at(Math.random() * (everyMs || 1), repeat(agent))
  timeline.runUntil(milliseconds)
  const seconds = (milliseconds - from) / 1000
  return {
    eventsPerSecond: (acked * eventsPerMessage) / seconds,
    deliveriesPerSecond: delivered / seconds,
    ackMs: quantiles(acks),
    readMs: quantiles(reads),
    usage: cluster.usage(milliseconds),
  }
}

const createCluster = (scenario: Scenario) => {
  const { sharedCores, speed = 1, streams, servers } = scenario
  const machine = sharedCores === undefined ? undefined : createStation(sharedCores, speed)
  const make = (count: number, cores: number) =>
    Array.from({ length: count }, () => createStation(cores, speed, machine))
  const owners = make(scenario.agentNodes, 1)
  const viewers = make(Math.max(1, scenario.viewerNodes), 1)
  const hosts = make(servers, scenario.serverCores)
  /** The messages of one stream are ordered by one thread of each server. */
  const groups = Array.from({ length: streams }, (_, stream) =>
    [0, 1, 2].map((replica) => createStation(1, speed, at(hosts, stream + replica))),
  )
  return {
    of(agent: number) {
      const group = at(groups, agent)
      return {
        owner: at(owners, agent),
        leader: at(group, 0),
        followers: group.slice(1),
        forward: at(hosts, agent),
      }
    },
    viewerNode: (agent: number, copy: number): Station => at(viewers, agent + copy * 7919),
    usage(until: number) {
      const busiest = (stations: readonly Station[]) =>
        Math.max(...stations.map((station) => station.usage(until)))
      return {
        agentNode: busiest(owners),
        stream: busiest(groups.map((group) => at(group, 0))),
        server: busiest(hosts),
        viewerNode: busiest(viewers),
      }
    },
  }
}

const at = <Item>(items: readonly Item[], index: number): Item => {
  const item = items[index % items.length]
  if (item === undefined) throw new Error('A cluster has at least one of each.')
  return item
}

const quantiles = (values: number[]): Quantiles => {
  const sorted = Float64Array.from(values).sort()
  const quantile = (part: number): number => sorted[Math.floor(sorted.length * part)] ?? Number.NaN
  return { p50: quantile(0.5), p99: quantile(0.99) }
}
