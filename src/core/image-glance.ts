import { HEAD_BYTES } from '../blobs/blob-store.ts'
import { ByteQueue } from '../bytes/byte-queue.ts'
import type { ImageCall } from '../dialects/image-face.ts'
import { dimensionsOf } from './image-account.ts'
import type { MadeImages } from './image-order.ts'
import { describe } from './image-pictures.ts'
import type { Call } from './call.ts'
import type { Outside } from './outside.ts'

const MAX_IMAGE_BYTES = 50 * 1024 * 1024
const GLANCE_MS = 5_000
const EXTENSION = /\.(png|jpe?g|webp|gif|svg)$/i

/**
 * What an image that came as an address is like, where neither the provider nor the caller says it: its first bytes are
 * looked at. Size is what some are paid for. It may fail: the image is there and is given anyway.
 */
export async function glance(made: MadeImages, asked: ImageCall, call: Call, outside: Outside): Promise<void> {
  const url = made.pictures[0]?.url
  if (url === undefined || isToldBoth(made, asked, url)) return
  const head = await headOf(url, call, outside).catch(() => undefined)
  if (!head) return
  const { size, format } = describe(head)
  made.size = size ?? made.size
  made.outputFormat = format ?? made.outputFormat
}

function isToldBoth({ size, outputFormat }: MadeImages, asked: ImageCall, url: string): boolean {
  const hasSize = dimensionsOf(size) !== undefined || dimensionsOf(asked.size) !== undefined
  return hasSize && (outputFormat ?? namedFormat(url, asked)) !== undefined
}

/** As the address or the caller calls it. */
export function namedFormat(url: string, { extra }: ImageCall): string | undefined {
  const extension = EXTENSION.exec(URL.parse(url)?.pathname ?? '')?.[1]?.toLowerCase()
  return (
    extension?.replace('jpg', 'jpeg') ?? (typeof extra.output_format === 'string' ? extra.output_format : undefined)
  )
}

async function headOf(url: string, call: Call, outside: Outside): Promise<Buffer | undefined> {
  const limits = { maxBytes: MAX_IMAGE_BYTES, timeoutMs: GLANCE_MS, signal: call.signal }
  const { status, body } = await outside.egress.get({ url, ...limits }, ['data'])
  const gathered = new ByteQueue()
  for await (const chunk of body) {
    if (status === 200) gathered.push(chunk)
    if (status !== 200 || gathered.length >= HEAD_BYTES) break
  }
  return gathered.length > 0 ? gathered.takeAll() : undefined
}
