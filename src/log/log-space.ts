/** How much space a log takes, in bytes. */
export interface LogSpace {
  /** What the database holds. */
  usedBytes: number
  /** What is free inside the database, because something was deleted. It is given back step by step. */
  freeBytes: number
  /** The database file on the disk. */
  databaseBytes: number
  /** The write-ahead log beside it. */
  walBytes: number
}
