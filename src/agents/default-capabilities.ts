import type { Capabilities } from '../events/types.ts'

/** What an agent can do that only runs one prompt and exits. Its entry names what differs. */
export const oneShotCapabilities: Capabilities = {
  isLive: false,
  steer: false,
  queue: false,
  abort: false,
  resume: false,
  fork: false,
  models: false,
  modes: [],
  thinking: [],
  approvals: 'none',
  rewrite: false,
  images: false,
  cost: 'none',
  liveOutput: false,
  compact: false,
  rename: false,
  stopTask: false,
}

/**
 * What an agent over ACP can do as a rule. Its entry names what differs; its process announces the
 * rest.
 */
export const acpCapabilities: Capabilities = {
  ...oneShotCapabilities,
  isLive: true,
  queue: true,
  abort: true,
  resume: true,
  models: true,
  approvals: 'some',
  images: true,
  files: ['text', 'pdf'],
  cost: 'reported',
  liveOutput: true,
}
