import { statSync } from 'node:fs'
import type { ProcessLock } from '../../platform/store/process-lock.ts'
import type { JournalFolder } from './journal-folder.ts'
import { InterruptedCalls } from './interrupted-calls.ts'
import { type SealedFile, Segment } from './journal-segment.ts'

/** The files of processes that have died. The lock of such a process is held until the store has all of its lines. */
export class DeadJournals {
  readonly #folder: JournalFolder
  readonly #takenOver = new Map<string, { lock: ProcessLock; files: Set<SealedFile> }>()

  constructor(folder: JournalFolder) {
    this.#folder = folder
  }

  /** Takes over the files of one dead process after the other. */
  *takeOver(ownId: string): Generator<readonly SealedFile[]> {
    for (const id of this.#folder.ids()) {
      if (id === ownId || this.#takenOver.has(id)) continue
      const lock = this.#folder.tryLock(id)
      const files = lock ? this.#adopt(id, lock) : []
      if (files.length > 0) yield files
    }
  }

  /** A file is gone. With the last file of its process, the lock goes too. */
  removed(file: SealedFile): void {
    for (const [id, { lock, files }] of this.#takenOver) {
      const isLast = files.delete(file) && files.size === 0
      if (isLast && this.#takenOver.delete(id)) this.#folder.discardLock(id, lock)
    }
  }

  /** Leaves the files that are still there to others. */
  release(): void {
    for (const { lock } of this.#takenOver.values()) lock.release()
    this.#takenOver.clear()
  }

  /** The files are listed under the lock: another process may have written them to the store a moment ago. */
  #adopt(id: string, lock: ProcessLock): readonly SealedFile[] {
    const segments = this.#folder.segmentPaths(id).map((path) => Segment.found(path, statSync(path).size))
    const paths = this.#folder.inFlightPaths(id)
    const bytes = paths.reduce((sum, path) => sum + statSync(path).size, 0)
    const files = paths.length > 0 ? [...segments, new InterruptedCalls(paths, bytes, segments)] : segments
    if (files.length === 0) this.#folder.discardLock(id, lock)
    else this.#takenOver.set(id, { lock, files: new Set(files) })
    return files
  }
}
