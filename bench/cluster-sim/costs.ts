/**
 * What things cost, in µs of one core and in ms, as they were measured on two shared cores: `docs/benchmarks.md`
 * and, for NATS, three nats-servers 2.9.10 that store everything. `docs/scaling.md` names each source.
 */
export interface Costs {
  /** An append of a message with so many events: CPU time of all three servers, and of the node. */
  readonly appends: readonly { events: number; serversUs: number; nodeUs: number }[]
  /** Reading, decoding and stamping an event of an agent. */
  readonly decodeEventUs: number
  /** A server sends one message to one more node. */
  readonly forwardUs: number
  /** A node reads a message of another node, and each event in it. */
  readonly followMessageUs: number
  readonly followEventUs: number
  /** An event goes to one reader. */
  readonly deliveryUs: number
  /** From one process to the next, with the time until it wakes up. */
  readonly hopMs: number
}

export const measured: Costs = {
  appends: [
    { events: 1, serversUs: 71, nodeUs: 50 },
    { events: 16, serversUs: 202, nodeUs: 70 },
    { events: 64, serversUs: 346, nodeUs: 90 },
  ],
  decodeEventUs: 20,
  forwardUs: 10,
  followMessageUs: 30,
  followEventUs: 3,
  deliveryUs: 5.2,
  hopMs: 0.11,
}

/** How much of the CPU time of three servers the leader of a stream needs, and each of the others. */
export const leaderShare = 0.5
export const followerShare = 0.25

/** What an append of so many events costs, between the sizes that were measured. */
export const appendCost = (
  { appends }: Pick<Costs, 'appends'>,
  events: number,
): { serversUs: number; nodeUs: number } => {
  const above = appends.find((each) => each.events >= events) ?? appends.at(-1)
  const below = appends.findLast((each) => each.events <= events) ?? appends[0]
  if (!above || !below) throw new Error('No append was measured.')
  const part = above === below ? 0 : (events - below.events) / (above.events - below.events)
  const between = (low: number, high: number): number => low + (high - low) * part
  return {
    serversUs: between(below.serversUs, above.serversUs),
    nodeUs: between(below.nodeUs, above.nodeUs),
  }
}
