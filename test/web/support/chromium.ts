import { existsSync } from 'node:fs'
import bundled from '@sparticuz/chromium'
import { type Browser, chromium } from 'playwright-core'

/** A real Chromium: the one that `CHROMIUM_PATH` names, or the one from npm. */
export const openChromium = async (): Promise<Browser> => {
  const own = process.env.CHROMIUM_PATH
  const executablePath = own !== undefined && existsSync(own) ? own : await bundled.executablePath()
  return chromium.launch({
    executablePath,
    // It may run as root in a container, where Chromium’s own sandbox cannot.
    args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage'],
    timeout: 60_000,
  })
}

/** The browser, or why there is none. */
export const tryChromium = async (): Promise<{ browser?: Browser; reason?: string }> => {
  try {
    return { browser: await openChromium() }
  } catch (cause) {
    const [line = ''] = String(cause).split('\n')
    return { reason: `Chromium cannot start here: ${line}` }
  }
}
