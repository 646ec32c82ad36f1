import { portOwner } from '../process/port-owner.ts'
import { Fault } from '../shared/fault.ts'

/** The fault for an address that the server cannot listen on: why, and what to do. */
export const listenFault = (cause: unknown, host: string, port: number): Fault =>
  new Fault('not_listening', messageFor(cause, host, port), { cause })

const messageFor = (cause: unknown, host: string, port: number): string => {
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : String(cause)
  switch (code) {
    case 'EADDRINUSE':
      return `Port ${port} is in use${byWhom(port)}. Stop it, or choose another port with --port.`
    case 'EACCES':
      return `This user may not listen on port ${port}. Choose a port above 1023 with --port.`
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return `${host} is not an address of this machine. Choose another with --host.`
    default:
      return `Cannot listen on ${host}:${port} (${code}).`
  }
}

const byWhom = (port: number): string => {
  const pid = portOwner(port)
  return pid === undefined ? ' by another process' : ` by process ${pid}`
}
