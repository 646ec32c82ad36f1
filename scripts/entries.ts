/** The public entries of the package: what `import 'sluice/…'` loads, by its file below src/. */
export const entries: Readonly<Record<string, string>> = {
  '.': 'sluice/sluice',
  './events': 'events/index',
  './decode': 'agents/index',
  './handler': 'handler/index',
  './ledger': 'ledger/index',
  './bus': 'bus/index',
  './bus/nats': 'bus/nats/nats-bus',
  './transcript': 'transcript/index',
  './api': 'api/index',
  './client': 'client/index',
  './log': 'log/index',
  './session': 'session/index',
  './server': 'http/index',
  './pi-sdk': 'pi-sdk/attach',
}
