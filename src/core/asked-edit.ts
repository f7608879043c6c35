import type { ImageEditRequest, ImageGenerationRequest, ImageReference } from '../contract/images.ts'
import { readDataUrl } from '../dialects/data-url.ts'
import type { GivenImage } from './image-inputs.ts'
import { bytesOf } from './image-pictures.ts'
import type { ImageShelf } from './image-shelf.ts'
import type { AskedImages } from './images.ts'
import { loaded, type Shelved, toShelf } from './shelf-sink.ts'

type Longs = ReadonlyMap<string, Shelved>

/** An edit that came as JSON. `longs` is the base64 of its large images, by the marks that stand for it. */
export async function askedEdit(edit: ImageEditRequest, longs: Longs, shelf: ImageShelf): Promise<AskedImages> {
  const { images, mask, ...rest } = edit
  const given: GivenImage[] = []
  for (const [index, image] of images.entries())
    given.push(await givenImage(image, ['body', 'images', index], longs, shelf))
  return {
    mode: 'edit',
    request: longs.size > 0 ? await withLongs(rest, longs) : rest,
    images: given,
    mask: mask ? await givenImage(mask, ['body', 'mask'], longs, shelf) : undefined,
    shelf,
  }
}

async function givenImage(
  image: ImageReference,
  loc: GivenImage['loc'],
  longs: Longs,
  shelf: ImageShelf,
): Promise<GivenImage> {
  const mark = image.image_url && readDataUrl(image.image_url)?.base64
  const base64 = mark && longs.get(mark)
  if (!base64) return { image, loc }
  return { image: await toShelf(bytesOf(base64), shelf), loc: [...loc, 'image_url'] }
}

/** Fields that are the provider's business go to it as they came. The last mark first: another may be its beginning. */
async function withLongs(rest: ImageGenerationRequest, longs: Longs): Promise<ImageGenerationRequest> {
  let text = JSON.stringify(rest)
  for (const [mark, base64] of [...longs].reverse()) {
    if (!text.includes(mark)) continue
    const long = Buffer.from(await loaded(base64)).toString('latin1')
    text = text.replaceAll(mark, () => long)
  }
  return JSON.parse(text)
}
