import { expect, test } from 'vitest'
import { sessionName } from '../../src/api/session-name.ts'

test('a session has its name, else its title, else the name of its directory', () => {
  const cwd = '/home/me/garden/'
  expect(sessionName({ name: 'Roses', title: 'Plant roses', cwd })).toBe('Roses')
  expect(sessionName({ title: 'Plant roses', cwd })).toBe('Plant roses')
  expect(sessionName({ cwd })).toBe('garden')
  expect(sessionName({ cwd: '/' })).toBe('Session')
})
