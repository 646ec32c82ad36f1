/** Settings of the demo agent. They open nothing. */
const demoPrefix = 'SLUICE_DEMO_'

/**
 * The environment for an agent: without the variables of Sluice, such as `SLUICE_TOKEN`. With that
 * token, an agent could allow its own tool calls.
 */
export const agentEnvironment = (env: NodeJS.ProcessEnv = process.env): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(env).filter(([name]) => isForAgents(name)))

const isForAgents = (name: string): boolean =>
  !name.startsWith('SLUICE_') || name.startsWith(demoPrefix)
