import type { ImageReply } from '../dialects/image-codec.ts'
import type { OutputImage } from './output-images.ts'

/** What a provider made for one order, with its images on their way to the caller. */
export type MadeImages = ImageReply & { images: OutputImage[] }
