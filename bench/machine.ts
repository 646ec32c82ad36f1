import { availableParallelism, cpus, loadavg } from 'node:os'

/** The machine that the figures were seen on. They are not comparable without it. */
export const describeMachine = (): string => {
  const model = cpus()[0]?.model.trim() ?? 'an unknown CPU'
  const cores = `${availableParallelism()} cores`
  return `Node ${process.version}, ${process.platform} ${process.arch}, ${model}, ${cores}, ${describeLoad()}`
}

/** How busy the machine is. A load above the number of cores makes figures worse. */
export const describeLoad = (): string => `load ${(loadavg()[0] ?? 0).toFixed(1)}`
