import { statSync } from 'node:fs'
import type { ProcessLock } from '../store/process-lock.ts'
import type { JournalFolder } from './journal-folder.ts'
import { Segment } from './journal-segment.ts'

/** The files of processes that have died. The lock of such a process is held until the store has all of its lines. */
export class DeadJournals {
  readonly #folder: JournalFolder
  readonly #takenOver = new Map<string, { lock: ProcessLock; segments: Set<Segment> }>()

  constructor(folder: JournalFolder) {
    this.#folder = folder
  }

  /** Takes over the files of one dead process after the other. */
  *takeOver(ownId: string): Generator<readonly Segment[]> {
    for (const id of this.#folder.ids()) {
      if (id === ownId || this.#takenOver.has(id)) continue
      const lock = this.#folder.tryLock(id)
      const segments = lock ? this.#adopt(id, lock) : []
      if (segments.length > 0) yield segments
    }
  }

  /** A file is gone. With the last file of its process, the lock goes too. */
  removed(segment: Segment): void {
    for (const [id, { lock, segments }] of this.#takenOver) {
      const isLast = segments.delete(segment) && segments.size === 0
      if (isLast && this.#takenOver.delete(id)) this.#folder.discardLock(id, lock)
    }
  }

  /** Leaves the files that are still there to others. */
  release(): void {
    for (const { lock } of this.#takenOver.values()) lock.release()
    this.#takenOver.clear()
  }

  /** The files are listed under the lock: another process may have written them to the store a moment ago. */
  #adopt(id: string, lock: ProcessLock): readonly Segment[] {
    const paths = this.#folder.segmentPaths(id)
    const segments = paths.map((path) => Segment.found(path, statSync(path).size))
    if (segments.length === 0) this.#folder.discardLock(id, lock)
    else this.#takenOver.set(id, { lock, segments: new Set(segments) })
    return segments
  }
}
