/** An image that is attached to a draft. */
export interface DraftImage {
  readonly data: string
  readonly mimeType: string
}

/** Messages that were typed but not sent, by session, and those that were sent before. */
export interface Drafts {
  /** The text of a session’s draft; empty when there is none. */
  text(id: string): string
  /** Stores the text of a draft, for reloads too. */
  store(id: string, text: string): void
  /** The images of a session’s draft. */
  images(id: string): readonly DraftImage[]
  /** Stores the images of a draft, until the page reloads. */
  storeImages(id: string, images: readonly DraftImage[]): void
  /** The messages that were sent before, newest first. */
  history(): readonly string[]
  addToHistory(text: string): void
}

const historyKey = 'sluice.history'
const historyLimit = 100
const draftKey = (id: string) => `sluice.draft.${id}`

export const createDrafts = (storage: Storage): Drafts => {
  const images = new Map<string, readonly DraftImage[]>()
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
    images: (id) => images.get(id) ?? [],
    storeImages: (id, attached) => void images.set(id, attached),
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
