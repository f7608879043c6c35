import { imageSize } from '../../base/sniff/image-size.ts'
import { sniffType } from '../../base/sniff/sniff-type.ts'
import type { ImageReference } from '../../contract/images.ts'
import { problem } from '../../contract/problems.ts'
import type { ValidationIssue } from '../../base/schema/validation-issue.ts'
import { readDataUrl } from '../../translation/dialects/data-url.ts'
import type { ImageInput } from '../../translation/dialects/image-codec.ts'
import { type FileAccess, openReferences } from '../../calls/file-inputs/file-references.ts'
import type { OpenFile } from '../../calls/files/open-file.ts'
import type { ImageTarget } from './target.ts'
import type { CallServices } from '../../calls/services/call-services.ts'
import { HELD_BYTES, loaded, type TempBytes } from '../../calls/files/temp-file-writer.ts'
import { isResourceId } from '../../base/schema/resource-id.ts'
import { MB } from '../../base/units/units.ts'

/** More than any camera takes: 100 megapixels are 400 MB once decoded, from a file of kilobytes. */
const MAX_PIXELS = 100_000_000
/** Cameras write much metadata before the size, but not this much. */
const HEAD_BYTES = MB
/** Formats with the size in the header: a file without it is damaged or hides its size. */
const MEASURED = ['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'image/bmp']
const TOO_MANY_PIXELS = `Input should be an image of at most ${MAX_PIXELS / 1_000_000} megapixels`

/** An image of the caller, and its place in the request. */
export type InputImage = { image: ImageReference | UploadedImage; loc: ValidationIssue['loc'] }
/** A file of a form, or the content of a data URL. */
export type UploadedImage = TempBytes

/** Converts the images to the form that the target's wire format needs. Errors name the place in the request. */
export async function imageInputs(
  original: readonly InputImage[],
  target: ImageTarget,
  access: FileAccess,
  services: CallServices,
): Promise<ImageInput[]> {
  const read: (ImageInput | Remote)[] = []
  for (const one of original)
    read.push(
      'read' in one.image
        ? await uploadInput(one.image, one.loc, services)
        : (inlineInput(one as InputReference) ?? remoteInput(one as InputReference, target)),
    )
  const named = read.flatMap((one) => ('reference' in one ? [one] : []))
  const files = await openReferences(named, access, services)
  const opened = new Map(named.map((one, index) => [one, files[index]!]))
  const inputs: ImageInput[] = []
  for (const one of read) {
    const input = 'reference' in one ? await fileInput(opened.get(one)!, one.loc, services) : one
    inputs.push(input)
  }
  return inputs
}

type InputReference = { image: ImageReference; loc: ValidationIssue['loc'] }

/** Large images stay on disk and are read while they are sent. */
async function uploadInput(
  image: UploadedImage,
  loc: ValidationIssue['loc'],
  { newId }: Pick<CallServices, 'newId'>,
): Promise<ImageInput> {
  const about = await aboutUpload(image, loc)
  const { length, read } = image
  if (length <= HELD_BYTES) return { ...about, bytes: await loaded(image) }
  return { ...about, bytes: NOTHING, source: { length, read, mark: `image${newId().replaceAll('-', '')}` } }
}

function fileInput({ size, read }: OpenFile, loc: ValidationIssue['loc'], services: Pick<CallServices, 'newId'>) {
  return uploadInput({ length: size, head: NOTHING, read }, loc, services)
}

const NOTHING = new Uint8Array(0)

/** The first bytes are nearly always enough. */
async function aboutUpload({ head, length, read }: UploadedImage, loc: ValidationIssue['loc']): Promise<About> {
  if (imageSize(head) || head.length === length) return aboutImage(head, loc)
  let seen = Buffer.alloc(0)
  for await (const chunk of read()) {
    seen = Buffer.concat([seen, chunk], Math.min(seen.length + chunk.length, HEAD_BYTES))
    if (imageSize(seen) || seen.length === HEAD_BYTES) break
  }
  return aboutImage(seen, loc)
}

function inlineInput({ image, loc }: InputReference): ImageInput | undefined {
  const data = image.image_url === undefined ? undefined : readDataUrl(image.image_url)
  return data && bytesInput(Buffer.from(data.base64, 'base64'), [...loc, 'image_url'])
}

type Remote = { reference: string; loc: ValidationIssue['loc'] }

function remoteInput({ image, loc }: InputReference, { codec, ...target }: ImageTarget): Remote | { url: string } {
  const { file_id, image_url } = image
  if (image_url === undefined) return { reference: uploadId(file_id!), loc: [...loc, 'file_id'] }
  const refusal = codec.refusesUrls?.(target)
  if (refusal) throw refused([...loc, 'image_url'], refusal)
  return codec.inputs === 'urls' ? { url: image_url } : { reference: image_url, loc: [...loc, 'image_url'] }
}

/** Accepts only the id of an upload: a URL in this place would be fetched. */
function uploadId(id: string): string {
  if (!isResourceId(id)) throw problem('not_found', { message: 'There is no such file.' })
  return id
}

function bytesInput(bytes: Uint8Array, loc: ValidationIssue['loc']): ImageInput {
  return { bytes, ...aboutImage(bytes.subarray(0, HEAD_BYTES), loc) }
}

type About = { mediaType: string; name: string }

/** Detects the type from the bytes. Only the header is read, never a pixel. */
function aboutImage(head: Uint8Array, loc: ValidationIssue['loc']): About {
  const mediaType = sniffType(head)
  if (!mediaType.startsWith('image/')) throw refused(loc, 'Input should be an image')
  const size = imageSize(head)
  if (!size && MEASURED.includes(mediaType)) throw refused(loc, 'Input should be an image with a complete header')
  if (size && size.width * size.height > MAX_PIXELS) throw refused(loc, TOO_MANY_PIXELS)
  return { mediaType, name: `image.${extensionOf(mediaType)}` }
}

function extensionOf(mediaType: string): string {
  return mediaType.slice('image/'.length).replace(/\+.*$|^x-/, '')
}

function refused(loc: ValidationIssue['loc'], msg: string) {
  const param = loc.slice(1).join('.')
  return problem('validation_error', {
    message: `${param}: ${msg}.`,
    param,
    detail: [{ loc, msg, type: 'value_error' }],
  })
}
