import { measured } from './costs.ts'
import type { Outcome, Scenario } from './simulate.ts'

/** What was measured on two shared cores, and what the simulation must give for the same. */
export interface SmallCase {
  name: string
  unit: string
  measured: number
  scenario: Scenario
  figure(outcome: Outcome): number
}

/** The machine had other work: processes got about so much of a core when appends, and readers, were measured. */
const speeds = { appends: 0.75, readers: 0.55 } as const

const append: Scenario = {
  ...{ agents: 32, messagesPerSecond: undefined, eventsPerMessage: 1, viewersPerAgent: 0 },
  ...{ streams: 1, servers: 3, serverCores: 2, agentNodes: 1, viewerNodes: 0, nodesPerSession: 0 },
  ...{ sharedCores: 2, speed: speeds.appends },
  // The measured program published finished bytes.
  costs: { ...measured, decodeEventUs: 0 },
}

const rate = ({ eventsPerSecond }: Outcome): number => eventsPerSecond

export const smallCases: readonly SmallCase[] = [
  ...(
    [
      [1, 10_500],
      [16, 70_300],
      [64, 225_000],
    ] as const
  ).map(([eventsPerMessage, events]) => ({
    name: `appends of 32 sessions, ${eventsPerMessage} per message`,
    unit: 'events a second',
    measured: events,
    scenario: { ...append, eventsPerMessage },
    figure: rate,
  })),
  {
    ...{ name: 'one append at a time, p50', unit: 'ms', measured: 0.59 },
    scenario: { ...append, agents: 1, speed: 1 },
    figure: ({ ackMs }) => ackMs.p50,
  },
  {
    ...{ name: 'from an append to another server’s reader, p50', unit: 'ms', measured: 0.81 },
    scenario: {
      ...{ ...append, agents: 1, speed: 1, messagesPerSecond: 200, viewersPerAgent: 1 },
      ...{ viewerNodes: 1, nodesPerSession: 1 },
    },
    figure: ({ readMs }) => readMs.p50,
  },
  {
    ...{ name: '1,000 readers of 10 events a second, p50', unit: 'ms', measured: 5.9 },
    scenario: {
      ...{ ...append, agents: 1, messagesPerSecond: 10, viewersPerAgent: 1000 },
      speed: speeds.readers,
      ...{ viewerNodes: 1, nodesPerSession: 1 },
    },
    figure: ({ readMs }) => readMs.p50,
  },
]

/** A session that works writes 15 events a second, and each is a message of its own. */
const working = { messagesPerSecond: 15, eventsPerMessage: 1 }

export const largeCases: readonly { name: string; scenario: Scenario }[] = [
  {
    name: '500 agents, 5,000 viewers, 3 servers, 1 stream',
    scenario: {
      ...{ ...working, agents: 500, viewersPerAgent: 10, streams: 1, servers: 3, serverCores: 4 },
      ...{ agentNodes: 3, viewerNodes: 3, nodesPerSession: 3 },
    },
  },
  {
    name: '10,000 agents, 100,000 viewers, 3 servers, 1 stream',
    scenario: {
      ...{ ...working, agents: 10_000, viewersPerAgent: 10, streams: 1, servers: 3 },
      ...{ serverCores: 8, agentNodes: 24, viewerNodes: 20, nodesPerSession: 1 },
    },
  },
  {
    name: '10,000 agents, 100,000 viewers, 6 servers, 32 streams, any node',
    scenario: {
      ...{ ...working, agents: 10_000, viewersPerAgent: 10, streams: 32, servers: 6 },
      ...{ serverCores: 8, agentNodes: 24, viewerNodes: 20, nodesPerSession: 8 },
    },
  },
  {
    name: '10,000 agents, 100,000 viewers, 6 servers, 32 streams, by session',
    scenario: {
      ...{ ...working, agents: 10_000, viewersPerAgent: 10, streams: 32, servers: 6 },
      ...{ serverCores: 8, agentNodes: 24, viewerNodes: 24, nodesPerSession: 1 },
    },
  },
  {
    name: '10,000 agents, 1,000,000 viewers, 6 servers, 32 streams, by session',
    scenario: {
      ...{ ...working, agents: 10_000, viewersPerAgent: 100, streams: 32, servers: 6 },
      ...{ serverCores: 8, agentNodes: 24, viewerNodes: 160, nodesPerSession: 1 },
    },
  },
]
