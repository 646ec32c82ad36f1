import { createInterface } from 'node:readline'
import { openCluster } from '../../src/cluster/cluster.ts'
import { openLink } from '../../src/log/jetstream/nats-link.ts'
import { namesOf } from '../../src/log/jetstream/subjects.ts'
import { reasonOf } from '../../src/shared/reason.ts'

// A node as a process of its own, so that a test can stop and kill it. Prints one JSON text per line.
const [servers = '', tenant = '', node = '', leaseMs = ''] = process.argv.slice(2)
const print = (value: object): void => void process.stdout.write(`${JSON.stringify(value)}\n`)
const link = await openLink({ servers: servers.split(',') })
const cluster = await openCluster({
  ...{ link, names: namesOf(tenant), replicas: 1, leaseMs: Number(leaseMs) },
  description: () => ({
    ...{ node, home: node, url: 'http://127.0.0.1/', version: '0', agents: [], maxAgents: 1 },
    startedAt: 0,
  }),
  onNotice: (notice) => print({ notice }),
  onError: (cause) => print({ error: reasonOf(cause) }),
})
cluster.follow({
  async onOrphan(orphan) {
    const { lostNode } = await cluster.claim(orphan)
    if (lostNode !== undefined) print({ orphan, lostNode })
    await cluster.release(orphan, lostNode)
  },
  onLost: async ({ code }) => print({ lost: code }),
  releaseIdle: async () => {},
  status: () => ({ sessions: 0, running: 0 }),
})
print({ ready: node })

/** What the test writes on a line, such as `claim a`. */
const commands: Record<string, (id: string) => Promise<unknown>> = {
  claim: cluster.claim,
  release: cluster.release,
  holds: async (id) => cluster.holds(id),
  async stop() {
    await cluster.close()
    await link.close()
  },
}
for await (const line of createInterface(process.stdin)) {
  const [command = '', id = ''] = line.split(' ')
  try {
    print({ done: line, result: (await commands[command]?.(id)) ?? null })
  } catch (cause) {
    print({ done: line, failed: reasonOf(cause) })
  }
  if (command === 'stop') break
}
process.exit()
