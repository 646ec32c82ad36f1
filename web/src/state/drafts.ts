/** An image that is attached to a draft. */
export interface DraftImage {
  readonly data: string
  readonly mimeType: string
}

/** A file that is attached to a draft, and that is not an image. */
export interface DraftFile {
  readonly name: string
  readonly data: string
  readonly size: number
}

/** What is sent with a draft. */
interface AttachedToDraft {
  readonly images: readonly DraftImage[]
  readonly files: readonly DraftFile[]
}

/** Messages that were typed but not sent, by session, and those that were sent before. */
export interface Drafts {
  /** The text of a session’s draft; empty when there is none. */
  text(id: string): string
  /** Stores the text of a draft, for reloads too. */
  store(id: string, text: string): void
  /** The images and files of a session’s draft. */
  attached(id: string): AttachedToDraft
  /** Stores the images and files of a draft, until the page reloads. */
  storeAttached(id: string, attached: AttachedToDraft): void
  /** The messages that were sent before, newest first. */
  history(): readonly string[]
  addToHistory(text: string): void
}

const historyKey = 'sluice.history'
const historyLimit = 100
const draftKey = (id: string) => `sluice.draft.${id}`

export const createDrafts = (storage: Storage): Drafts => {
  const attached = new Map<string, AttachedToDraft>()
  /** The texts of this tab: the storage may be full, or hold what another tab wrote. */
  const texts = new Map<string, string>()

  const persist = (key: string, value: string) => {
    try {
      storage.setItem(key, value)
    } catch {
      // The storage is full or blocked: a reload loses the value.
    }
  }

  return {
    text: (id) => texts.get(id) ?? storage.getItem(draftKey(id)) ?? '',
    store(id, text) {
      texts.set(id, text)
      if (text === '') storage.removeItem(draftKey(id))
      else persist(draftKey(id), text)
    },
    attached: (id) => attached.get(id) ?? { images: [], files: [] },
    storeAttached: (id, next) => void attached.set(id, next),
    history: () => readHistory(storage),
    addToHistory(text) {
      const others = readHistory(storage).filter((each) => each !== text)
      persist(historyKey, JSON.stringify([text, ...others].slice(0, historyLimit)))
    },
  }
}

const readHistory = (storage: Storage): string[] => {
  try {
    const stored: unknown = JSON.parse(storage.getItem(historyKey) ?? '[]')
    return Array.isArray(stored) ? stored.filter((each) => typeof each === 'string') : []
  } catch {
    return []
  }
}
