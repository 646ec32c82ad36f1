import type { RequestStore, StoredRequest } from '../shared-log.ts'
import type { Documents } from './documents.ts'
import type { NatsLink } from './nats-link.ts'
import { recordKeys } from './record-keys.ts'
import type { Names } from './subjects.ts'

export interface RequestStoreParts {
  documents: Pick<Documents, 'change'>
  link: Pick<NatsLink, 'manager' | 'insist'>
  names: Pick<Names, 'recordBucket'>
  ensureOpen(): void
}

/** Requests in the bucket: a record per key, in the order of their last change. */
export const createRequestStore = ({
  documents,
  link: { manager, insist },
  names: { recordBucket },
  ensureOpen,
}: RequestStoreParts): RequestStore => {
  const stream = `KV_${recordBucket}`
  const subjects = `$KV.${recordBucket}.${recordKeys.request('*')}`

  /** The first message behind another one, also one that says that a record was deleted. */
  const after = (seq: number) => {
    const query = { seq: seq + 1, next_by_subj: subjects }
    return insist(() => manager.streams.getMessage(stream, query))
  }

  return {
    async begin(key, request) {
      ensureOpen()
      let before: StoredRequest | undefined
      await documents.change(recordKeys.request(key), (text) => {
        before = requestIn(text)
        return text ?? JSON.stringify(request)
      })
      return before
    },
    async replace(key, before, next) {
      ensureOpen()
      let isReplaced = false
      await documents.change(recordKeys.request(key), (text) => {
        isReplaced = isSame(requestIn(text), before)
        if (!isReplaced) return text
        return next && JSON.stringify(next)
      })
      return isReplaced
    },
    async prune(keepMs, limit) {
      ensureOpen()
      const last = await insist(() =>
        manager.streams.getMessage(stream, { last_by_subj: subjects }),
      )
      if (!last) return
      const info = await insist(() => manager.streams.info(stream, { subjects_filter: subjects }))
      let excess = Object.keys(info.state.subjects ?? {}).length - limit
      let end = 0
      for (let found = await after(0); found; found = await after(found.seq)) {
        // The clock of the servers counts: those of nodes can be wrong.
        const isOld = last.time.getTime() - found.time.getTime() > keepMs
        if (!isOld && excess <= 0) break
        excess -= 1
        end = found.seq + 1
      }
      // One call, which leaves nothing of them: what is deleted alone leaves a mark.
      if (end > 0) await insist(() => manager.streams.purge(stream, { filter: subjects, seq: end }))
    },
  }
}

const requestIn = (text: string | undefined): StoredRequest | undefined =>
  text === undefined ? undefined : JSON.parse(text)

/** Whether it is the same run of the same request. */
const isSame = (stored: StoredRequest | undefined, before: StoredRequest): boolean =>
  stored?.node === before.node &&
  stored.incarnation === before.incarnation &&
  stored.isDone === before.isDone
