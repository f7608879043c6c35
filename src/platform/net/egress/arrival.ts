import type { Dispatcher } from 'undici'
import type { WireResponse } from '../../../translation/wire/wire.ts'
import { BodyQueue } from '../body-queue.ts'
import { EgressFailed, failureOf } from './refusal.ts'

type Headers = WireResponse['headers']

/** `over` resolves when the answer has arrived to its end, or will not arrive any more. */
export type Arriving = WireResponse & { over: Promise<void> }

/**
 * An answer as it arrives. Status and headers are passed on at once. Failures of the body are reported to its reader, so
 * that a webhook counts as delivered even if its receiver answers with a very long body.
 */
export class Arrival implements Dispatcher.DispatchHandler {
  readonly #maxBytes: number
  readonly #start = Promise.withResolvers<Arriving>()
  readonly #end = Promise.withResolvers<void>()
  #body: BodyQueue | undefined
  #bytes = 0

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  get response(): Promise<Arriving> {
    return this.#start.promise
  }

  get over(): Promise<void> {
    return this.#end.promise
  }

  onRequestStart() {}

  onResponseStart(controller: Dispatcher.DispatchController, status: number, headers: Headers) {
    if (status < 200) return
    this.#body = new BodyQueue(controller)
    this.#start.resolve({ status, headers, body: this.#body, over: this.over })
    const failure = failureIn(headers, this.#maxBytes)
    if (failure) this.fail(failure)
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Uint8Array) {
    this.#bytes += chunk.length
    if (this.#bytes > this.#maxBytes) this.fail(new EgressFailed('too_large'))
    else this.#body?.push(chunk)
  }

  onResponseEnd() {
    this.#body?.end()
    this.#end.resolve()
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error) {
    this.fail(failureOf(error))
  }

  fail(failure: Error) {
    this.#body?.end(failure)
    this.#start.reject(failure)
    this.#end.resolve()
  }
}

/** Compressed bodies are refused, because they could be a thousand times larger than they look. */
function failureIn(headers: Headers, maxBytes: number): EgressFailed | undefined {
  if (!isPlain(headers['content-encoding'], 'identity')) return new EgressFailed('compressed')
  if (!isPlain(headers['transfer-encoding'], 'chunked')) return new EgressFailed('compressed')
  if (Number(headers['content-length'] ?? 0) > maxBytes) return new EgressFailed('too_large')
}

function isPlain(value: string | string[] | undefined, plain: string): boolean {
  return value === undefined || String(value).trim().toLowerCase() === plain
}
