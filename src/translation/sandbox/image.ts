import type { SendOptions, WireRequest, WireResponse } from '../wire/wire.ts'
import { drawPng } from './image-png.ts'
import { type ImageRequest, readImageRequest } from './image-request.ts'
import { estimateTokens } from './token-estimate.ts'
import { jsonResponse } from './wire-response.ts'

const PATH = /\/images\/(generations|edits)$/
const PIXELS_PER_TOKEN = 1024

export function isImageRequest({ method, url }: WireRequest): boolean {
  return method === 'POST' && PATH.test(new URL(url).pathname)
}

/** Images in base64, whatever format was requested, like the newest models of OpenAI. */
export async function imageReply(
  request: WireRequest,
  { signal }: SendOptions,
  created: number,
): Promise<WireResponse> {
  const body = await readImageRequest(request)
  const { width, height, count, prompt } = body
  const data: { b64_json: string }[] = []
  for (let index = 0; index < count; index++) {
    signal.throwIfAborted()
    const png = await drawPng({ width, height }, `${prompt} ${index}`)
    data.push({ b64_json: png.toString('base64') })
  }
  const size = `${width}x${height}`
  return jsonResponse(200, { created, data, output_format: 'png', size, usage: usageOf(body) }, signal)
}

function usageOf({ prompt, width, height, count }: ImageRequest) {
  const input_tokens = estimateTokens(prompt)
  const output_tokens = Math.ceil((width * height) / PIXELS_PER_TOKEN) * count
  return { input_tokens, output_tokens, total_tokens: input_tokens + output_tokens }
}
