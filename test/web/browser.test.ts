import { afterAll, afterEach, beforeAll, describe } from 'vitest'
import { freshWeb } from '../../scripts/web.ts'
import { access } from './scenes/access.ts'
import { approvals } from './scenes/approvals.ts'
import { composing } from './scenes/composing.ts'
import { deleting } from './scenes/deleting.ts'
import { driving } from './scenes/driving.ts'
import { finding } from './scenes/finding.ts'
import { firstVisit } from './scenes/first-visit.ts'
import { focus } from './scenes/focus.ts'
import { frames } from './scenes/frames.ts'
import { images } from './scenes/images.ts'
import { longSession } from './scenes/long-session.ts'
import { notifications } from './scenes/notifications.ts'
import { phone } from './scenes/phone.ts'
import { questions } from './scenes/questions.ts'
import { reading } from './scenes/reading.ts'
import { realPi } from './scenes/real-pi.ts'
import { reconnect } from './scenes/reconnect.ts'
import { replay } from './scenes/replay.ts'
import type { World } from './scenes/scene.ts'
import { tabs } from './scenes/tabs.ts'
import { tryChromium } from './support/chromium.ts'
import { startServer } from './support/server.ts'
import { openStage } from './support/stage.ts'

const { browser, reason } = await tryChromium()
if (reason !== undefined) process.stdout.write(`skipped: the web app in a browser. ${reason}\n`)

const scenes = [
  firstVisit,
  reading,
  frames,
  driving,
  composing,
  deleting,
  images,
  approvals,
  focus,
  notifications,
  tabs,
  replay,
  finding,
  phone,
  access,
  reconnect,
]

// One file, so that one browser and one build serve all scenes, one after the other.
describe.skipIf(!browser)('the web app', () => {
  let current: World | undefined
  const world = (): World => {
    if (!current) throw new Error('the world is not there yet')
    return current
  }

  beforeAll(async () => {
    await freshWeb()
    if (!browser) return
    const server = await startServer()
    current = { server, stage: openStage(browser, server) }
  }, 120_000)
  afterEach(() => current?.stage.clear())
  afterAll(async () => {
    await current?.server.close()
    await browser?.close()
  })

  for (const scene of scenes) scene(world)
  if (browser) {
    longSession(browser)
    realPi(browser)
    questions(browser)
  }
})
