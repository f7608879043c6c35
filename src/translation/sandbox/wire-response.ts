import { setImmediate, setTimeout } from 'node:timers/promises'
import { type FailureKind, WireFailure, type WireResponse } from '../wire/wire.ts'

// Without a turn of the event loop now and then, an abort could not arrive before the end of a long stream.
const PIECES_PER_BATCH = 32
const MAX_TIMER_MS = 2 ** 31 - 1

const DONE = 'data: [DONE]\n\n'
const encoder = new TextEncoder()

export function jsonResponse(
  status: number,
  value: unknown,
  signal: AbortSignal,
  headers: Record<string, string> = {},
): WireResponse {
  const body = bytesOf([JSON.stringify(value)], signal)
  return { status, headers: { 'content-type': 'application/json', ...headers }, body }
}

export function eventResponse(body: AsyncIterable<Uint8Array>): WireResponse {
  return { status: 200, headers: { 'content-type': 'text/event-stream; charset=utf-8' }, body }
}

export function* eventTexts(values: Iterable<object>): Generator<string> {
  for (const value of values) yield `data: ${JSON.stringify(value)}\n\n`
}

export function* finishedEventTexts(values: Iterable<object>): Generator<string> {
  yield* eventTexts(values)
  yield DONE
}

export async function* bytesOf(pieces: Iterable<string>, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  let sent = 0
  for (const piece of pieces) {
    if (++sent % PIECES_PER_BATCH === 0) await setImmediate()
    signal.throwIfAborted()
    yield encoder.encode(piece)
  }
  signal.throwIfAborted()
}

/** Never resolves: it rejects when the time is up or the caller leaves. */
export async function silence(kind: FailureKind, ms: number, signal: AbortSignal): Promise<never> {
  await setTimeout(Math.min(ms, MAX_TIMER_MS), undefined, { signal }).catch(() => signal.throwIfAborted())
  throw new WireFailure(kind)
}
