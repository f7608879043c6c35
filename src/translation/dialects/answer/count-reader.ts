import { readCount } from '../../../base/schema/record.ts'

/**
 * Reads the counts of one usage. A count that cannot be read has been billed all the same, so what is known is then not the
 * whole usage.
 */
export class CountReader {
  isSound = true

  read(value: unknown): number {
    const count = readCount(value)
    if (count === undefined) this.isSound = false
    return count ?? 0
  }
}
