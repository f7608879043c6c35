import { asBuffer } from '../../base/bytes/as-buffer.ts'
import { imageSize } from '../../base/sniff/image-size.ts'
import { sniffType } from '../../base/sniff/sniff-type.ts'
import { spent } from '../../platform/blobs/spent-buffers.ts'
import { UpstreamProblem } from '../../translation/wire/upstream-problem.ts'
import { readDataUrl } from '../../translation/dialects/data-url.ts'
import type { ImageItem } from '../../translation/dialects/image-codec.ts'
import { type TempBytes, heldBytes, toTempFile } from '../../calls/files/temp-file-writer.ts'
import type { TempFiles } from '../../calls/files/temp-files.ts'
import { base64Of, GROUP_CHARS } from '../../calls/files/base64.ts'

/** An image on its way to the caller. */
export type OutputImage = { url?: string; base64?: TempBytes; revised_prompt?: string }

const NOT_BASE64 = /[^\w+/-]+/g
const ONLY_BASE64 = /^[\w+/=-]+$/

/** `longs` are the images in temp files, by the mark that the decoder found in their place. */
export function toOutputImage(
  { url, b64_json, revised_prompt }: ImageItem,
  longs: ReadonlyMap<string, TempBytes>,
): OutputImage {
  const reported = revised_prompt === undefined ? {} : { revised_prompt }
  const text = b64_json ?? (url === undefined ? undefined : readDataUrl(url)?.base64)
  if (text !== undefined) return { base64: longs.get(text) ?? checked(text), ...reported }
  if (url === undefined) throw new UpstreamProblem('garbage', 'the answer of the provider contains no image')
  return { url, ...reported }
}

/** The size and the format in the first bytes of an image. */
export function measure({ head }: TempBytes): Look {
  return describe(Buffer.from(latin1(head), 'base64'))
}

type Look = { size: string | undefined; format: string | undefined }

/** Like measure, but for bytes that are not in base64. */
export function describe(head: Uint8Array): Look {
  const type = sniffType(head)
  const size = imageSize(head)
  return {
    size: size ? `${size.width}x${size.height}` : undefined,
    format: type.startsWith('image/') ? type.slice('image/'.length).replace('svg+xml', 'svg') : undefined,
  }
}

/** Decodes in chunks, so that an image is never in memory as a whole. Characters outside of the base64 alphabet are skipped. */
export async function* bytesOf(base64: TempBytes): AsyncGenerator<Uint8Array> {
  let rest = ''
  for await (const piece of base64.read()) {
    const text = rest + latin1(piece).replace(NOT_BASE64, '')
    const whole = text.length - (text.length % GROUP_CHARS)
    yield Buffer.from(text.slice(0, whole), 'base64')
    rest = text.slice(whole)
    spent(whole)
  }
  if (rest) yield Buffer.from(rest, 'base64')
}

export function toBase64(body: AsyncIterable<Uint8Array>, tempFiles: TempFiles): Promise<TempBytes> {
  return toTempFile(base64Of(body), tempFiles)
}

function checked(text: string): TempBytes {
  const plain = text.replace(/\s+/g, '')
  // It is written into JSON as it is, so it must not contain anything that ends a string or has to be escaped.
  if (ONLY_BASE64.test(plain)) return heldBytes(Buffer.from(plain, 'latin1'))
  throw new UpstreamProblem('garbage', 'the answer of the provider contains something that is not an image in base64')
}

function latin1(bytes: Uint8Array): string {
  return asBuffer(bytes).toString('latin1')
}
