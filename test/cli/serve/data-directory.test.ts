import { expect, test } from 'vitest'
import { sluice } from '../../support/sluice.ts'

test.each([
  ['/proc/x', process.platform === 'linux'],
  ['/dev/null/x', true],
])('a data directory that cannot be created is refused: %s', async (data, isHere) => {
  if (!isHere) return console.log(`skipped: ${data}: this system has no /proc`)
  const { code, stderr } = await sluice(['serve', '--port', '0', '--data', data])
  expect(stderr).toMatch(`sluice: The data directory ${data} cannot be used: `)
  expect(code).toBe(1)
})
