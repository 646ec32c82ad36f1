// Watches a home directory until stdin ends, and prints what it finds. It runs where the system allows
// only few watches.
import { createWatchedSessions } from '../../src/watch/create-watched-sessions.ts'
import { openFileWatcher } from '../../src/watch/files/file-watcher.ts'
import { openFileLibrary } from '../../src/watch/files/library.ts'
import { fileSources } from '../../src/watch/sources/file-sources.ts'
import { memoryLog } from './rig.ts'

const [home = ''] = process.argv.slice(2)
const print = (text: string) => void process.stdout.write(`${text}\n`)
const onError = (cause: unknown) => print(`error ${cause}`)
const log = await memoryLog()
const watched = createWatchedSessions({
  ...{ log, publish() {}, publishHistory() {}, onError },
  notify(event) {
    if (event.type === 'session_created') print(`session ${event.session.watched?.nativeId}`)
  },
})
const watcher = openFileWatcher({
  ...{ sources: fileSources, env: {}, home, scanMs: 12_000, onError },
  onNotice: (message) => print(`notice ${message}`),
  openLibrary: () => openFileLibrary({ log, watched }),
})
process.stdin.resume()
process.stdin.on('end', async () => {
  await watcher.close()
  await watched.close()
  process.exit(0)
})
