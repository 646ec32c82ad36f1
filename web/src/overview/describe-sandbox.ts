import type { SandboxInfo } from '../../../src/api/index.ts'

/** How agents run on the machine of the server, in words. */
export const describeSandbox = ({ mode, reason }: SandboxInfo): string => {
  switch (mode) {
    case 'on':
      return 'Agents run in a sandbox. They cannot reach the data of Sluice.'
    case 'project':
      return 'Agents run in a sandbox. They can write only to their project.'
    case 'off':
      return `Agents are not sandboxed on this machine. ${plain(reason)}A command that you allow can control Sluice.`
  }
}

/** Reasons are also printed in terminals, where backticks mark commands. */
const plain = (reason = ''): string => (reason === '' ? '' : `${reason.replaceAll('`', '')} `)
