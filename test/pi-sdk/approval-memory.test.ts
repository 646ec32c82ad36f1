import { expect, test, vi } from 'vitest'
import { createLocalBus } from '../../src/bus/local.ts'
import { piApprovalExtension } from '../../src/pi-sdk/approval.ts'
import type { PiExtensionApi } from '../../src/pi-sdk/sdk.ts'

const remember = { scope: 'session', rule: { tool: 'bash', pattern: 'ls' } } as const

type Handler = Parameters<PiExtensionApi['on']>[1]

test('a rule holds for one Pi session, not for the next', async () => {
  const bus = createLocalBus({ onError: (report) => expect.unreachable(JSON.stringify(report)) })
  const responder = vi.fn(async () => ({ action: 'allow', remember }) as const)
  bus.respond('adapter:piSdk.tool_approval', responder)
  let decide: Handler | undefined
  piApprovalExtension({ bus })({
    on(_, handler) {
      decide = handler
    },
  })
  const callIn = async (sessionId: string) => {
    const call = { toolCallId: 't', toolName: 'bash', input: { command: 'ls' } }
    const sessionManager = { getSessionId: () => sessionId }
    expect(await decide?.(call, { signal: undefined, sessionManager })).toBeUndefined()
    return responder.mock.calls.length
  }
  expect(await callIn('a')).toBe(1)
  expect(await callIn('a')).toBe(1)
  expect(await callIn('b')).toBe(2)
  await bus.close()
})
