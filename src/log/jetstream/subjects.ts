/** The names of what a tenant has on a NATS server. */
export interface Names {
  readonly tenant: string
  /** The stream of all events. */
  readonly eventStream: string
  /** The subjects of all events, and where the server sends stored ones again. */
  readonly allEvents: string
  readonly allLive: string
  /** The bucket of records. */
  readonly recordBucket: string
  /** The object store of blobs, and of what is too large for one message. */
  readonly objectBucket: string
  /** The bucket of nodes and owners. */
  readonly nodeBucket: string
  /** The subject of a session’s events. */
  eventsOf(sessionId: string): string
  /** The subject of requests of one kind to a node. */
  requestsTo(node: string, kind: string): string
}

/** Throws a RangeError for a name that cannot be a part of subjects and streams. */
export const checkTenant = (tenant: string): void => {
  if (!/^[\w-]{1,64}$/.test(tenant))
    throw new RangeError(`The name of a tenant has letters, digits, - and _ only: ${tenant}`)
  // It would have the bucket of another tenant’s nodes.
  if (tenant.endsWith('_nodes'))
    throw new RangeError(`The name of a tenant does not end with _nodes: ${tenant}`)
}

/** Where the replies to a tenant’s nodes go. Each tenant has its own, so that others cannot read them. */
export const inboxOf = (tenant: string): string => `_INBOX_${tenant}`

/** The streams on the server: events, records, objects, and the leases of nodes. */
export const streamsOf = (names: Names): string[] => [
  names.eventStream,
  `KV_${names.recordBucket}`,
  `OBJ_${names.objectBucket}`,
  `KV_${names.nodeBucket}`,
]

/** Throws a RangeError when the name of the tenant has other characters than letters, digits, `-` and `_`. */
export const namesOf = (tenant: string): Names => {
  checkTenant(tenant)
  const prefix = `sluice.${tenant}`
  return {
    tenant,
    eventStream: `sluice_${tenant}_events`,
    allEvents: `${prefix}.ev.>`,
    allLive: `${prefix}.live.>`,
    recordBucket: `sluice_${tenant}`,
    objectBucket: `sluice_${tenant}_objects`,
    nodeBucket: `sluice_${tenant}_nodes`,
    eventsOf: (sessionId) => `${prefix}.ev.${tokenOf(sessionId)}`,
    requestsTo: (node, kind) => `${prefix}.node.${tokenOf(node)}.${kind}`,
  }
}

/**
 * An id as one token of a subject or key. Letters, digits, `-` and `_` stay, so that people can read it.
 * Every other byte becomes `=` and two hex digits.
 */
export const tokenOf = (id: string): string => {
  if (/^[\w-]+$/.test(id)) return id
  let token = ''
  for (const byte of Buffer.from(id)) {
    const character = String.fromCharCode(byte)
    token += /[\w-]/.test(character) ? character : `=${byte.toString(16).padStart(2, '0')}`
  }
  return token === '' ? '=' : token
}

/** The id that a token was made of. */
export const idIn = (token: string): string => {
  if (!token.includes('=')) return token
  if (token === '=') return ''
  const bytes: number[] = []
  for (let at = 0; at < token.length; at += 1) {
    if (token[at] === '=') {
      bytes.push(Number.parseInt(token.slice(at + 1, at + 3), 16))
      at += 2
    } else bytes.push(token.charCodeAt(at))
  }
  return Buffer.from(bytes).toString()
}
