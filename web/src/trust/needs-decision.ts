import type { ProjectTrust } from '../../../src/api/index.ts'

/** Whether a person has to decide before an agent loads the files of a directory. */
export const needsDecision = ({ state, agents }: ProjectTrust, agent: string): boolean =>
  (state === 'undecided' || state === 'changed') && agents.includes(agent)
