import type { ImageCall } from '../dialects/image-face.ts'
import type { Call } from './call.ts'
import { keepResult } from './files.ts'
import type { Shelved } from './shelf-sink.ts'
import { bytesOf, measure, type Picture, toBase64 } from './image-pictures.ts'
import type { ImageShelf } from './image-shelf.ts'
import type { Outside } from './outside.ts'
import { linkTo } from './result-links.ts'

const MAX_IMAGE_BYTES = 50 * 1024 * 1024
const FETCH_MS = 60_000

/**
 * The images in the form that the caller asked for. They are paid for by now: where one cannot be fetched or kept, it is
 * given as it came, with a note.
 */
export async function deliver(
  pictures: readonly Picture[],
  { responseFormat }: ImageCall,
  shelf: ImageShelf,
  call: Call,
  outside: Outside,
): Promise<Picture[]> {
  const delivered: Picture[] = []
  for (const picture of pictures) {
    const { url, base64, ...told } = picture
    if (responseFormat === 'b64_json' && url) delivered.push({ ...(await inlined(url, shelf, call, outside)), ...told })
    else if (responseFormat === 'url' && base64) delivered.push({ ...(await kept(base64, call, outside)), ...told })
    else delivered.push(picture)
  }
  return delivered
}

/** The address is the provider's, but it is fetched as warily as one of a caller's. */
async function inlined(url: string, shelf: ImageShelf, call: Call, outside: Outside): Promise<Picture> {
  try {
    const limits = { maxBytes: MAX_IMAGE_BYTES, timeoutMs: FETCH_MS, signal: call.signal }
    const { status, body } = await outside.egress.get({ url, ...limits }, ['data'])
    if (status === 200) return { base64: await toBase64(body, shelf) }
    await body[Symbol.asyncIterator]().return?.()
  } catch (error) {
    if (call.signal.aborted) throw error
  }
  note(call, 'the image could not be fetched from where the provider put it')
  return { url }
}

async function kept(base64: Shelved, call: Call, outside: Outside): Promise<Picture> {
  const file = { name: `image.${measure(base64).format ?? 'bin'}`, bytes: bytesOf(base64) }
  try {
    return { url: linkTo(await keepResult(file, call.caller.owner, outside.files), outside.links) }
  } catch (error) {
    if (call.signal.aborted) throw error
    note(call, 'there was no room to keep the image for a link')
    return { base64 }
  }
}

function note(call: Call, reason: string): void {
  call.notes = [...call.notes, { field: 'response_format', action: 'dropped', reason }]
}
