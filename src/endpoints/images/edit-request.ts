import type { ImageEditRequest, ImageGenerationRequest, ImageReference } from '../../contract/images.ts'
import { readDataUrl } from '../../translation/dialects/data-url.ts'
import type { InputImage } from './inputs.ts'
import { bytesOf } from './output-images.ts'
import type { TempFiles } from '../../calls/files/temp-files.ts'
import type { ImagesRequest } from './images.ts'
import { loaded, type TempBytes, toTempFile } from '../../calls/files/temp-file-writer.ts'

type Longs = ReadonlyMap<string, TempBytes>

/** An edit request in JSON. `longs` is the base64 of its large images, by the marks that replace them. */
export async function toEditRequest(
  edit: ImageEditRequest,
  longs: Longs,
  tempFiles: TempFiles,
): Promise<ImagesRequest> {
  const { images, mask, ...rest } = edit
  const original: InputImage[] = []
  for (const [index, image] of images.entries())
    original.push(await toInputImage(image, ['body', 'images', index], longs, tempFiles))
  return {
    mode: 'edit',
    request: longs.size > 0 ? await withLongs(rest, longs) : rest,
    images: original,
    mask: mask ? await toInputImage(mask, ['body', 'mask'], longs, tempFiles) : undefined,
    tempFiles,
  }
}

async function toInputImage(
  image: ImageReference,
  loc: InputImage['loc'],
  longs: Longs,
  tempFiles: TempFiles,
): Promise<InputImage> {
  const mark = image.image_url && readDataUrl(image.image_url)?.base64
  const base64 = mark && longs.get(mark)
  if (!base64) return { image, loc }
  return { image: await toTempFile(bytesOf(base64), tempFiles), loc: [...loc, 'image_url'] }
}

/**
 * Fields that only the provider knows are passed on unchanged. The last mark is replaced first, because another may be its
 * prefix.
 */
async function withLongs(rest: ImageGenerationRequest, longs: Longs): Promise<ImageGenerationRequest> {
  let text = JSON.stringify(rest)
  for (const [mark, base64] of [...longs].reverse()) {
    if (!text.includes(mark)) continue
    const long = Buffer.from(await loaded(base64)).toString('latin1')
    text = text.replaceAll(mark, () => long)
  }
  return JSON.parse(text)
}
