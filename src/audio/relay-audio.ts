import { isFailure, toProblem } from '../attempts/failures.ts'
import type { Ending } from '../attempts/plan.ts'
import type { Call } from '../calls/call.ts'
import type { ChatTarget } from '../routing/route.ts'

export type RelayedAudio = {
  call: Call
  target: ChatTarget
  ending: Ending
  /** Pays for what was ordered; called when the answer has ended, however that was. */
  pay(): void
}

/** Passes the bytes of an answer on, and ends the call when they have been read, or when the caller has left. */
export async function* relayAudio(
  bytesOf: (isOver: () => void) => AsyncIterable<Uint8Array>,
  { call, target, ending, pay }: RelayedAudio,
): AsyncGenerator<Uint8Array> {
  // A call that cannot be billed has ended all the same.
  const settle = () => {
    try {
      pay()
    } catch (error) {
      throw ending.fail(error)
    }
  }
  const close = () => {
    settle()
    ending.close()
  }
  try {
    // The next bytes may be the last ones, after which a client does not wait for the end of the body.
    yield* bytesOf(close)
  } catch (error) {
    settle()
    throw ending.fail(isFailure(error) ? toProblem(error, target) : error)
  } finally {
    settle()
    if (call.signal.aborted) ending.fail(call.signal.reason)
    else ending.close()
  }
}
