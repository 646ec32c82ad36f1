import { existsSync } from 'node:fs'
import bundled from '@sparticuz/chromium'
import { type Browser, chromium } from 'playwright-core'

/** Starts a real Chromium: the one in `CHROMIUM_PATH`, or the one from npm. */
export const openChromium = async (): Promise<Browser> => {
  const own = process.env.CHROMIUM_PATH
  const executablePath = own !== undefined && existsSync(own) ? own : await bundled.executablePath()
  return chromium.launch({
    executablePath,
    // Tests may run as root in a container, where Chromium’s own sandbox does not work.
    args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage'],
    timeout: 60_000,
  })
}

/** Starts the browser, or returns why it cannot start. */
export const tryChromium = async (): Promise<{ browser?: Browser; reason?: string }> => {
  try {
    return { browser: await openChromium() }
  } catch (cause) {
    const [line = ''] = String(cause).split('\n')
    return { reason: `Chromium cannot start here: ${line}` }
  }
}
