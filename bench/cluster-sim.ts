import { largeCases, type SmallCase, smallCases } from './cluster-sim/cases.ts'
import { type Scenario, simulate } from './cluster-sim/simulate.ts'
import type { BenchPart } from './part.ts'
import { printTitle, type Row } from './report.ts'

/** How far a simulated figure may be from the measured one. */
const most = 1.35

/** How long a small case is simulated: long enough that chance moves its figures by less than 3 %. */
const smallMs = 30_000

/** Simulates what was measured in small, then clusters that no machine here can run. */
export const runClusterSim: BenchPart = async ({ signal }) => {
  printTitle('cluster-sim', 'small cases against what was measured')
  const rows = smallCases.map(rowOf)
  for (const { name, scenario } of largeCases) {
    signal.throwIfAborted()
    printTitle(name, describe(scenario))
  }
  const [base] = largeCases
  if (base) for (const line of breaks(base.scenario)) printTitle('breaks', line)
  return rows
}

const rowOf = ({ name, unit, measured, scenario, figure }: SmallCase): Row => {
  const value = figure(simulate(scenario, smallMs))
  const ratio = value / measured
  const digits = measured < 100 ? 2 : 0
  return {
    name,
    goal: `goal ${(1 / most).toFixed(2)}x to ${most}x`,
    measured: `${ratio.toFixed(2)}x of the measured`,
    details: `${value.toFixed(digits)} simulated : ${measured.toFixed(digits)} ${unit}`,
    verdict: ratio <= most && ratio >= 1 / most ? 'ok' : 'MISSED',
  }
}

const describe = (scenario: Scenario): string => {
  const { eventsPerSecond, deliveriesPerSecond, readMs, ackMs, usage } = simulate(scenario, 1500)
  const percent = (part: number): string => `${Math.min(100, part * 100).toFixed(0)} %`
  const ms = (value: number): string => (Number.isNaN(value) ? 'never' : `${value.toFixed(1)} ms`)
  return [
    `${thousands(eventsPerSecond)} events and ${thousands(deliveriesPerSecond)} deliveries a second`,
    `stored p50 ${ms(ackMs.p50)}, p99 ${ms(ackMs.p99)}; seen p50 ${ms(readMs.p50)}, p99 ${ms(readMs.p99)}`,
    `busy: agent node ${percent(usage.agentNode)}, stream ${percent(usage.stream)}, server ${percent(usage.server)}, viewer node ${percent(usage.viewerNode)}`,
  ].join('; ')
}

const thousands = (value: number): string => `${(value / 1000).toFixed(1)}k`

/** Clusters in which one part is scarce, and everything else large enough. */
export const scarceCases = (base: Scenario): readonly [string, Scenario][] => {
  const wide = { ...base, streams: 64, servers: 64, agentNodes: 200, viewerNodes: 400 }
  return [
    ['a viewer node (10 viewers for each agent)', { ...wide, viewerNodes: 1, nodesPerSession: 1 }],
    ['an agent node', { ...wide, agentNodes: 1 }],
    ['one stream', { ...wide, streams: 1, nodesPerSession: 1 }],
  ]
}

/** At which load each of these parts stops keeping up. */
const breaks = (base: Scenario): string[] =>
  scarceCases(base).map(([name, scenario]) => {
    const agents = mostAgents(scenario)
    return `${name} keeps p99 below ${limitMs} ms up to ${agents} agents (${agents * 15} events a second)`
  })

const limitMs = 250

/** How many agents a cluster keeps up with. */
const mostAgents = (scenario: Scenario): number => {
  let [works, fails] = [10, 20_000]
  while (fails - works > works / 50) {
    const agents = Math.round((works + fails) / 2)
    if (keepsUp({ ...scenario, agents })) works = agents
    else fails = agents
  }
  return works
}

/** Whether readers get events in time. A queue that grows is short at first: so nothing may have more work than time. */
export const keepsUp = (scenario: Scenario): boolean => {
  const { readMs, usage } = simulate(scenario, 3000)
  return readMs.p99 < limitMs && Object.values(usage).every((part) => part < 1)
}
