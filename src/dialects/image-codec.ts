import type { MaskColour, PaintedMask } from '../engine-api/engines.ts'
import type { UpstreamProblem } from '../wire/upstream-problem.ts'
import type { WireRequest } from '../wire/wire.ts'
import type { Note, Target } from './chat-codec.ts'
import type { FileSource } from './form-body.ts'

// How a wire format makes images. Some answer at once, some hand out a ticket: decoding says which, and the house asks again.

export type ImageCodec = {
  /** Whether an image that a caller names by its URL may be passed on as a URL; otherwise the house fetches the bytes. */
  inputs: 'bytes' | 'urls'
  /** Why this model's maker wants no address in the place of an image; where it says nothing, the house sees to it. */
  refusesUrls?(target: Target): string | undefined
  /** The colour of what a mask marks, where this wire wants masks painted: the house does it before, in another thread. */
  paints?(target: Target): MaskColour | undefined
  /** Images of one call; more are made by several calls side by side. */
  max: number
  /** Never changes the call. Throws a problem that names the field when the wire cannot carry it. */
  encode(call: ImageCall, target: Target): { wire: WireRequest; notes: Note[] }
  /**
   * Reads the first answer, and every later one of a ticket. Throws an UpstreamProblem when it failed or is no answer. The
   * call comes without its images, which have been let go of; `asked` is the request that this is the answer to.
   */
  decode(answer: ImageAnswer, call: ImageCall, target: Target, request?: WireRequest): ImageStep
  problem(status: number, text: string): UpstreamProblem
}

export type ImageCall = {
  mode: 'generate' | 'edit'
  prompt: string
  n: number
  size: string | undefined
  quality: string | undefined
  responseFormat: 'url' | 'b64_json' | undefined
  /** What else the caller sent: forwarded unchanged where the wire has room for it. */
  extra: Readonly<Record<string, unknown>>
  images: readonly ImageInput[]
  mask: ImageInput | undefined
}

export type ImageInput =
  /**
   * `painted` is there where it is a mask, and the face wants it painted; `source` in the place of the bytes, where they
   * are many. No face looks into them.
   */
  { bytes: Uint8Array; mediaType: string; name: string; painted?: PaintedMask; source?: FileSource } | { url: string }

/** An answer of the upstream, read to its end. Where the base64 of an image is long, a mark stands in its place. */
export type ImageAnswer = {
  headers: Readonly<Record<string, string | string[] | undefined>>
  mediaType: string
  bytes: Uint8Array
  /** The answer is an image itself: its base64, or a mark for it. There are no bytes then. */
  image?: string | undefined
}

export type ImageStep =
  | { done: true; reply: ImageReply }
  /** To be asked again with this request, after a moment, at an address of the provider's own: the house puts credentials on. */
  | { done: false; poll: WireRequest; afterMs: number }

export type ImageReply = {
  created?: number | undefined
  data: ImageItem[]
  outputFormat?: string | undefined
  /** `WIDTHxHEIGHT`, where the answer tells it. */
  size?: string | undefined
  quality?: string | undefined
  usage?: ImageUsage | undefined
  /** What the provider itself says that it cost, in USD. */
  cost?: number | undefined
}

/** An image by its address, or by its base64, for which a mark may stand. */
export type ImageItem = { url?: string; b64_json?: string; revised_prompt?: string }

export type ImageUsage = {
  input_tokens: number
  output_tokens: number
  total_tokens: number
  input_tokens_details?: { text_tokens: number; image_tokens: number } | undefined
  /** Where it is missing, all of the output is image. */
  output_tokens_details?: { text_tokens: number; image_tokens: number } | undefined
}
