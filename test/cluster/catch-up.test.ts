import { expect, test } from 'vitest'
import { createCatchUp } from '../../src/cluster/catch-up.ts'
import { openMemoryLog } from '../../src/log/index.ts'
import { events, session } from '../log/samples.ts'

test('events that are wanted when a read has just ended are read, too', async () => {
  const log = await openMemoryLog()
  await log.sessions.create(session('s'))
  await log.append('s', events('s', 1, 3))
  /** The third event arrives later. */
  let stored = 2
  const readText: typeof log.readText = (id, after) => log.readText(id, after, stored - after)
  let published = 0
  const catchUp = createCatchUp({
    log: { ...log, readText },
    readers: {
      headOf() {
        if (published === 2 && stored === 2)
          queueMicrotask(() => {
            stored = 3
            catchUp.run('s', 3)
          })
        return published
      },
      publish({ seq }) {
        published = seq
      },
    },
    onError: (cause) => expect.unreachable(String(cause)),
  })
  catchUp.run('s', 2)
  await expect.poll(() => published).toBe(3)
})
