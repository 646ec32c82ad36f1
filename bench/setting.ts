/** What all parts of one run share. */
export interface Setting {
  /** For inputs and caches; removed at the end. */
  directory: string
  quick: boolean
  /** 1 is the full size of the inputs. */
  scale: number
  signal: AbortSignal
}
