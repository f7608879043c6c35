import type { ImageReply } from '../../translation/dialects/image-codec.ts'
import type { OutputImage } from './output-images.ts'

/** The images of one order, on their way to the caller. */
export type MadeImages = ImageReply & { images: OutputImage[] }
