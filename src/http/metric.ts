/** A metric of Prometheus. */
export interface Metric {
  name: string
  kind: 'counter' | 'gauge' | 'histogram'
  help: string
  /** Values with their labels, as they are printed. */
  values: Iterable<readonly [labels: string, value: number]>
  /** Of a histogram, instead of `values`: each has a name of its own. */
  parts?: Iterable<readonly [suffix: string, labels: string, value: number]>
}

export const gauge = (name: string, help: string, value: number, labels = ''): Metric => ({
  name,
  kind: 'gauge',
  help,
  values: [[labels, value]],
})

export const gauges = (name: string, help: string, values: Metric['values']): Metric => ({
  name,
  kind: 'gauge',
  help,
  values,
})

export const counter = (name: string, help: string, value: number): Metric => ({
  ...gauge(name, help, value),
  kind: 'counter',
})

export const counters = (name: string, help: string, values: Metric['values']): Metric => ({
  ...gauges(name, help, values),
  kind: 'counter',
})

/** A metric in the text format of Prometheus. */
export const formatMetric = ({ name, kind, help, values, parts }: Metric): string => {
  const named = parts ?? Array.from(values, ([labels, value]) => ['', labels, value] as const)
  const lines = Array.from(named, ([suffix, labels, value]) =>
    labels === '' ? `${name}${suffix} ${value}\n` : `${name}${suffix}{${labels}} ${value}\n`,
  )
  return `# HELP ${name} ${help}\n# TYPE ${name} ${kind}\n${lines.join('')}`
}

/** The value of a label, with what would end it escaped. */
export const labelText = (text: string): string =>
  text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')

export const labelsOf = (labels: Readonly<Record<string, string>>): string =>
  Object.entries(labels)
    .map(([name, value]) => `${name}="${labelText(value)}"`)
    .join(',')
