import { inBlocks } from '../bytes/in-blocks.ts'
import type { UpstreamProblem } from '../contract/upstream-problem.ts'
import { WireFailure, type WireRequest, type WireResponse } from '../contract/wire.ts'
import type { ImageAnswer, ImageCall, ImageReply } from '../dialects/image-face.ts'
import { readText } from '../net/read-text.ts'
import type { Chance } from './attempt.ts'
import { authorize } from './authorize.ts'
import { readRetryAfter } from './ask.ts'
import type { Call } from './call.ts'
import type { Shelved } from './shelf-sink.ts'
import { glance } from './image-glance.ts'
import type { ImageShelf } from './image-shelf.ts'
import { LeanJson, PROVIDER } from './lean-json.ts'
import { toBase64, toPicture, type Picture } from './image-pictures.ts'
import type { ImageTarget } from './image-target.ts'
import { sourcesOf, withImages } from './image-source.ts'
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

/** What is ordered, of whom, and where large answers go. */
export type Ordered = { asked: ImageCall; target: ImageTarget; shelf: ImageShelf }
/** An answer, and what lies on the shelf by the mark that stands for it. */
type Answered = { answer: ImageAnswer; longs: ReadonlyMap<string, Shelved> }

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
  return withImages(wire, sourcesOf(asked))
}

/** Sends, and asks again for as long as the provider says so. After a failure it goes on from where it was. */
export async function fill(
  order: ImageOrder,
  { asked, target, shelf }: Ordered,
  chance: Chance,
  call: Call,
  outside: Outside,
): Promise<void> {
  for (;;) {
    const request = order.ticket ?? order.wire
    const response = await exchange(request, target, chance, call, outside)
    const { answer, longs } = await readAnswer(response, shelf, call, outside)
    // What cannot be read, or says that it failed, is to be begun anew.
    order.ticket = undefined
    const step = target.face.decode(answer, asked, target, request)
    if (step.done) {
      order.made = { ...step.reply, pictures: step.reply.data.map((item) => toPicture(item, longs)), data: [] }
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
): Promise<WireResponse> {
  // Shared by equal orders and by retries, while each puts its own credential on.
  const request = await authorize({ ...wire, headers: { ...wire.headers } }, provider, credential, outside)
  const { connectMs, headersMs, idleMs } = limits
  const { signal, caller } = call
  const options = { signal, limits: { connectMs, headersMs, idleMs }, owner: caller.owner }
  const response = await outside.send(request, options)
  if (response.status < 200 || response.status >= 300) throw await readProblem(face, response)
  return response
}

async function readProblem(
  face: ImageTarget['face'],
  { status, headers, body }: WireResponse,
): Promise<UpstreamProblem> {
  const failure = face.problem(status, await readText(body, MAX_ERROR_BYTES).catch(() => ''))
  failure.retryAfterSeconds ??= readRetryAfter(headers['retry-after'])
  return failure
}

async function readAnswer(
  { headers, body }: WireResponse,
  shelf: ImageShelf,
  { caller }: Call,
  outside: Outside,
): Promise<Answered> {
  const [named = ''] = String(headers['content-type'] ?? '').split(';')
  const mediaType = named.trim().toLowerCase()
  const bytes = bounded(body, Number(headers['content-length']))
  const lean = new LeanJson(shelf, outside.newId(), PROVIDER)
  if (!mediaType.startsWith('image/')) {
    for await (const block of inBlocks(bytes)) {
      await lean.push(block)
      await outside.ownTurn(caller.owner)
    }
    return { answer: { headers, mediaType, bytes: lean.end() }, longs: lean.longs }
  }
  const base64 = await toBase64(bytes, shelf)
  const image = base64.length > 0 ? outside.newId().replaceAll('-', '') : undefined
  return { answer: { headers, mediaType, bytes: NOTHING, image }, longs: new Map(image ? [[image, base64]] : []) }
}

const NOTHING = new Uint8Array(0)

async function* bounded(body: WireResponse['body'], told: number): AsyncGenerator<Uint8Array> {
  const most = told > 0 ? Math.min(told, MAX_ANSWER_BYTES) : MAX_ANSWER_BYTES
  let size = 0
  for await (const chunk of body) {
    size += chunk.length
    if (size > most) throw new WireFailure('protocol')
    yield chunk
  }
}
