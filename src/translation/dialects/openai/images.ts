import type { ImageCodec } from '../image-codec.ts'
import { decodeImageEvent, decodeImages } from './images-reply.ts'
import { encodeImages, isGptImage } from './images-request.ts'
import { problem } from './problem.ts'

const NO_URLS =
  'Models of the gpt-image family do not accept remote URLs. Send the image as a data URL, or upload it and send its file_id'

/** https://platform.openai.com/docs/api-reference/images, which many providers have copied. */
export const images: ImageCodec = {
  inputs: 'bytes',
  max: 10,
  refusesUrls: ({ model }) => (isGptImage(model) ? NO_URLS : undefined),
  encode: encodeImages,
  decode: decodeImages,
  // Other models refuse `stream`, and these refuse it if several images are asked for.
  events: { streams: ({ n }, { model }) => n === 1 && isGptImage(model), decode: decodeImageEvent },
  problem,
}
