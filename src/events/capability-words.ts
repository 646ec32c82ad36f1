import type { Capabilities } from './types.ts'

/** What an agent can do, in a few words for people, the most telling first. */
export const capabilityWords = (can: Capabilities): string[] => {
  if (!can.isLive) return ['single prompts only']
  const words: [boolean, string][] = [
    [can.approvals === 'all', 'approvals'],
    [can.approvals === 'some', 'approvals for some calls'],
    [can.steer, 'steering'],
    [can.resume, 'resume'],
    [can.conversations === true, 'own conversations'],
    [can.fork, 'fork'],
    [can.rewind === true, 'rewind'],
    [can.models, 'models'],
    [can.modes.length > 0, 'modes'],
    [can.thinking.length > 0, 'thinking levels'],
    [can.stopTask, 'background tasks'],
    [can.shell === true, 'shell commands'],
    [can.images, 'images'],
    [can.files !== undefined, 'files'],
    [can.liveOutput, 'live output'],
    [can.cost !== 'none', 'cost'],
  ]
  return words.flatMap(([has, word]) => (has ? [word] : []))
}
