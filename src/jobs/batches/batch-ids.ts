import { withDashes, withoutDashes } from '../../base/schema/resource-id.ts'
import type { BatchDoor } from '../../platform/store/batches/batches.ts'

/** How ids of batches begin at each door. */
const PREFIXES: Record<BatchDoor, string> = { openai: 'batch_', anthropic: 'msgbatch_', gemini: 'batches/' }

/** The id as the clients of a door know it. */
export function batchName({ id, door }: { id: string; door: BatchDoor }): string {
  return `${PREFIXES[door]}${withoutDashes(id)}`
}

/** The id that `batchName` wrote, also without what it begins with. A text of any other form stays as it is. */
export function batchIdIn(name: string, door: BatchDoor): string {
  const prefix = PREFIXES[door]
  return withDashes(name.startsWith(prefix) ? name.slice(prefix.length) : name)
}

/** The id that `batchName` wrote for any door, as the ledger has it. */
export function batchIdAtAnyDoor(name: string): string {
  const prefix = Object.values(PREFIXES).find((one) => name.startsWith(one)) ?? ''
  return withDashes(name.slice(prefix.length))
}
