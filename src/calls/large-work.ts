import type { CallStart } from './call.ts'

/** A call that holds more than this has bodies or answers whose every step (parse, convert, write) takes milliseconds. */
const LARGE_HELD_BYTES = 1024 * 1024

/**
 * A turn of the event loop for the next step of a call that holds much, so that everybody else is served between two steps.
 * Undefined for all other calls: they need not wait.
 */
export function turnForLarge({ memory, caller }: CallStart, context: { loopSlot(owner: string): Promise<void> }) {
  return memory && memory.held > LARGE_HELD_BYTES ? context.loopSlot(caller.owner) : undefined
}
