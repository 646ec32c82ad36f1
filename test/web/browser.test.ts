import { afterAll, afterEach, beforeAll, describe } from 'vitest'
import { freshWeb } from '../../scripts/web.ts'
import { access } from './scenes/access.ts'
import { agentChoices } from './scenes/agent-choices.ts'
import { approvals } from './scenes/approvals.ts'
import { auditing } from './scenes/auditing.ts'
import { budgets } from './scenes/budgets.ts'
import { cardFuzz } from './scenes/card-fuzz.ts'
import { comparing } from './scenes/comparing.ts'
import { composing } from './scenes/composing.ts'
import { configuredAgent } from './scenes/configured-agent.ts'
import { costs } from './scenes/costs.ts'
import { damage } from './scenes/damage.ts'
import { deleting } from './scenes/deleting.ts'
import { driving } from './scenes/driving.ts'
import { finding } from './scenes/finding.ts'
import { firstVisit } from './scenes/first-visit.ts'
import { focus } from './scenes/focus.ts'
import { frames } from './scenes/frames.ts'
import { goingBack } from './scenes/going-back.ts'
import { hostile } from './scenes/hostile.ts'
import { images } from './scenes/images.ts'
import { lists } from './scenes/lists.ts'
import { longSession } from './scenes/long-session.ts'
import { loops } from './scenes/loops.ts'
import { markedSessions } from './scenes/marked-sessions.ts'
import { notifications } from './scenes/notifications.ts'
import { offers } from './scenes/offers.ts'
import { passkeys } from './scenes/passkeys.ts'
import { phone } from './scenes/phone.ts'
import { questions } from './scenes/questions.ts'
import { reading } from './scenes/reading.ts'
import { realPi } from './scenes/real-pi.ts'
import { reconnect } from './scenes/reconnect.ts'
import { replay } from './scenes/replay.ts'
import { requests } from './scenes/requests.ts'
import { rules } from './scenes/rules.ts'
import type { SceneSetup } from './scenes/scene.ts'
import { sharing } from './scenes/sharing.ts'
import { signingIn } from './scenes/signing-in.ts'
import { tabs } from './scenes/tabs.ts'
import { terminalQuestions } from './scenes/terminal-questions.ts'
import { trouble } from './scenes/trouble.ts'
import { trusting } from './scenes/trusting.ts'
import { watched } from './scenes/watched.ts'
import { tryChromium } from './support/chromium.ts'
import { createPages } from './support/pages.ts'
import { startSluice } from './support/server.ts'

const { browser, reason } = await tryChromium()
if (reason !== undefined) process.stdout.write(`skipped: the web app in a browser. ${reason}\n`)

const scenes = [
  firstVisit,
  signingIn,
  passkeys,
  auditing,
  reading,
  frames,
  driving,
  composing,
  deleting,
  images,
  approvals,
  rules,
  focus,
  notifications,
  tabs,
  replay,
  finding,
  phone,
  lists,
  loops,
  budgets,
  access,
  trouble,
  damage,
  reconnect,
]

// One file, so that all scenes share one browser and one build.
describe.skipIf(!browser)('the web app', () => {
  let started: SceneSetup | undefined
  const setup = (): SceneSetup => {
    if (!started) throw new Error('the server has not started yet')
    return started
  }

  const start = async (): Promise<void> => {
    if (!browser) return
    const server = await startSluice()
    started = { server, pages: createPages(browser, server) }
  }
  beforeAll(async () => {
    await freshWeb()
    await start()
  }, 120_000)
  afterEach(async ({ task }) => {
    await started?.pages.closeAll()
    if (task.result?.state !== 'fail') return
    // Its sessions may still work, or ask for something that the next tests do not expect.
    await started?.server.close()
    await start()
  })
  afterAll(async () => {
    await started?.server.close()
    await browser?.close()
  })

  for (const scene of scenes) scene(setup)
  if (browser) {
    longSession(browser)
    hostile(browser)
    realPi(browser)
    agentChoices(browser)
    goingBack(browser)
    questions(browser)
    requests(browser)
    offers(browser)
    configuredAgent(browser)
    cardFuzz(browser)
    trusting(browser)
    comparing(browser)
    markedSessions(browser)
    watched(browser)
    terminalQuestions(browser)
    sharing(browser)
    costs(browser)
  }
})
