import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { createStamp } from '../src/events/index.ts'
import { openSqliteLog } from '../src/log/sqlite.ts'
import { packSnapshot } from '../src/server/feed/stored-snapshot.ts'
import { searchSessions } from '../src/server/search/search-sessions.ts'
import { applyAll, emptyTranscript, toSnapshot } from '../src/transcript/index.ts'
const d = mkdtempSync(join(tmpdir(), 'm-'))
const log = await openSqliteLog(d)
for (let n = 0; n < 300; n++) {
  const id = `s${n}`
  await log.sessions.create({ id, agent: 'demo', cwd: '/p', state: 'idle', createdAt: n, updatedAt: n })
  const stamp = createStamp(id, () => 1)
  const ev = []
  for (let m = 0; m < 100; m++) {
    ev.push(stamp({ type: 'message_start', messageRole: 'assistant', messageId: `m${m}` }))
    for (let k = 0; k < 10; k++) ev.push(stamp({ type: 'message_update', messageId: `m${m}`, assistantMessageEvent: { type: 'text_delta', contentIndex: 0, delta: 'some words that are here ' } }))
    ev.push(stamp({ type: 'message_end', messageId: `m${m}`, message: { role: 'assistant', content: [{ type: 'text', text: 'some words that are here '.repeat(40) }] } }))
  }
  await log.append(id, ev)
  if (process.argv[2]) { const t = applyAll(emptyTranscript(id), ev); await log.snapshots.put(id, t.seq, packSnapshot(t, JSON.stringify(toSnapshot(t, { projectId: '' })))) }
}
for (const q of ['nowhere', 'content', 'words']) {
  const h = monitorEventLoopDelay({ resolution: 1 }); h.enable()
  const at = performance.now()
  const r = await searchSessions(log, q, { limit: 200, withinMs: 60000 })
  h.disable()
  console.log(process.argv[2] ?? 'no snapshots', q, r.hits.length, r.searched, r.truncated, Math.round(performance.now() - at), 'ms; longest delay', Math.round(h.max / 1e6))
}
await log.close(); rmSync(d, { recursive: true })
