import type { CallFacts } from './call.ts'
import { MB } from '../base/units/units.ts'

/** If a call holds more than this, each step of its work (parse, convert, write) takes milliseconds. */
const LARGE_HELD_BYTES = MB

/**
 * A turn of the event loop for the next step of a large call, so that other calls are served between its steps. Undefined for
 * all other calls, which need not wait.
 */
export function slotForLarge(
  { memory, caller }: Pick<CallFacts, 'memory' | 'caller'>,
  services: { loopSlot(owner: string): Promise<void> },
) {
  return memory && memory.held > LARGE_HELD_BYTES ? services.loopSlot(caller.owner) : undefined
}
