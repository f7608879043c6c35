import type { UpstreamProblem } from '../contract/upstream-problem.ts'
import { WireFailure, type WireRequest, type WireResponse } from '../contract/wire.ts'
import type { ImageAnswer, ImageCall, ImageReply } from '../dialects/image-face.ts'
import { readText } from '../net/read-text.ts'
import type { Chance } from './attempt.ts'
import { authorize } from './authorize.ts'
import { readRetryAfter } from './ask.ts'
import type { Call } from './call.ts'
import { glance } from './image-glance.ts'
import { toPicture, type Picture } from './image-pictures.ts'
import type { ImageTarget } from './image-target.ts'
import type { Outside } from './outside.ts'

/** Ten large images in base64, and no more. */
const MAX_ANSWER_BYTES = 128 * 1024 * 1024
const MAX_ERROR_BYTES = 256 * 1024
const MIN_POLL_MS = 100
const MAX_POLL_MS = 30_000

/** One request to the provider, for some of the images, and how far it has come: what is done is never asked for again. */
export type ImageOrder = {
  wire: WireRequest
  /** What a provider that takes its time wants to be asked with. */
  ticket?: WireRequest | undefined
  made?: MadeImages
}
export type MadeImages = ImageReply & { pictures: Picture[] }

/** As many orders as the wire needs for so many images; equal ones share what is sent. */
export function ordersFor(asked: ImageCall, extraHeaders: Record<string, string>, target: ImageTarget, call: Call) {
  const { most } = target.face
  const counts = Array.from({ length: Math.ceil(asked.n / most) }, (_, index) => Math.min(most, asked.n - index * most))
  const wires = new Map<number, WireRequest>()
  return counts.map((n): ImageOrder => {
    const wire = wires.get(n) ?? encode({ ...asked, n }, extraHeaders, target, call)
    wires.set(n, wire)
    return { wire }
  })
}

function encode(asked: ImageCall, extraHeaders: Record<string, string>, target: ImageTarget, call: Call): WireRequest {
  const { wire, notes } = target.face.encode(asked, target)
  call.notes = notes
  for (const [name, value] of Object.entries(extraHeaders)) wire.headers[name.toLowerCase()] ??= value
  return wire
}

/** Sends, and asks again for as long as the provider says so. After a failure it goes on from where it was. */
export async function fill(
  order: ImageOrder,
  asked: ImageCall,
  target: ImageTarget,
  chance: Chance,
  call: Call,
  outside: Outside,
): Promise<void> {
  for (;;) {
    const request = order.ticket ?? order.wire
    const answer = await exchange(request, target, chance, call, outside)
    // What cannot be read, or says that it failed, is to be begun anew.
    order.ticket = undefined
    const step = target.face.decode(answer, asked, target, request)
    if (step.done) {
      order.made = { ...step.reply, pictures: step.reply.data.map(toPicture), data: [] }
      return await glance(order.made, asked, call, outside)
    }
    order.ticket = step.poll
    await outside.sleep(Math.min(MAX_POLL_MS, Math.max(MIN_POLL_MS, step.afterMs)), call.signal)
  }
}

async function exchange(
  wire: WireRequest,
  { provider, limits, face }: ImageTarget,
  { credential }: Chance,
  call: Call,
  outside: Outside,
): Promise<ImageAnswer> {
  // Shared by equal orders and by retries, while each puts its own credential on.
  const request = await authorize({ ...wire, headers: { ...wire.headers } }, provider, credential, outside)
  const { connectMs, headersMs, idleMs } = limits
  const response = await outside.send(request, { signal: call.signal, limits: { connectMs, headersMs, idleMs } })
  if (response.status < 200 || response.status >= 300) throw await readProblem(face, response)
  return await readAnswer(response)
}

async function readProblem(
  face: ImageTarget['face'],
  { status, headers, body }: WireResponse,
): Promise<UpstreamProblem> {
  const failure = face.problem(status, await readText(body, MAX_ERROR_BYTES).catch(() => ''))
  failure.retryAfterSeconds ??= readRetryAfter(headers['retry-after'])
  return failure
}

async function readAnswer({ headers, body }: WireResponse): Promise<ImageAnswer> {
  const [mediaType = ''] = String(headers['content-type'] ?? '').split(';')
  return {
    headers,
    mediaType: mediaType.trim().toLowerCase(),
    bytes: await readWhole(body, Number(headers['content-length'])),
  }
}

/** Into one piece from the start where the length is told: megabytes that are put together later stand twice in memory. */
async function readWhole(body: WireResponse['body'], told: number): Promise<Uint8Array> {
  const room = told > 0 && told <= MAX_ANSWER_BYTES ? Buffer.allocUnsafeSlow(told) : undefined
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of body) {
    if (size + chunk.length > (room?.length ?? MAX_ANSWER_BYTES)) throw new WireFailure('protocol')
    if (room) room.set(chunk, size)
    else chunks.push(chunk)
    size += chunk.length
  }
  return room?.subarray(0, size) ?? Buffer.concat(chunks)
}
