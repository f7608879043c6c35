import { UpstreamProblem } from '../../wire/upstream-problem.ts'
import { tryParse } from '../../json/try-parse.ts'
import { notAnAnswer } from '../answer-problems.ts'
import { readDataUrl } from '../data-url.ts'
import type { ImageAnswer, ImageItem, ImageReply, ImageStep } from '../image-codec.ts'
import { type Fields, isRecord, textOf } from '../../../base/schema/record.ts'

// What the answers of all wire formats have in common.

/** How much of a base64 text is checked: it may be megabytes. */
const LOOKED_AT_CHARS = 64

export function fieldsIn({ bytes }: ImageAnswer): Fields {
  const text = new TextDecoder().decode(bytes)
  const value = tryParse(text)
  if (!isRecord(value)) throw notAnAnswer(text, 'an image')
  return value
}

/** A URL, or an image in a data URL. */
export function urlItem(value: unknown): ImageItem | undefined {
  const url = textOf(value)
  const inline = readDataUrl(url)
  if (inline) return base64Item(inline.base64)
  return /^https?:\/\//i.test(url) && URL.canParse(url) ? { url } : undefined
}

export function base64Item(value: unknown): ImageItem | undefined {
  const text = textOf(value)
  return text && /^[A-Za-z0-9+/_=-]+$/.test(text.slice(0, LOOKED_AT_CHARS)) ? { b64_json: text } : undefined
}

/** An image that arrived as raw bytes. */
export function bytesItem({ image }: ImageAnswer): ImageItem | undefined {
  return image === undefined ? undefined : { b64_json: image }
}

export function finished(items: readonly (ImageItem | undefined)[], more: Omit<ImageReply, 'data'> = {}): ImageStep {
  const data = items.filter((item) => item !== undefined)
  if (data.length === 0) throw new UpstreamProblem('empty', 'the provider answered without an image')
  return { done: true, reply: { ...more, data } }
}

/** An entry in OpenAI's format: an image by URL or in base64, and the revised prompt. */
export function listedItem({ url, b64_json, revised_prompt }: Fields): ImageItem | undefined {
  const item = base64Item(b64_json) ?? urlItem(url)
  return item && { ...item, ...(typeof revised_prompt === 'string' && { revised_prompt }) }
}

/** `image/jpeg` → `jpeg`. */
export function formatOf(mediaType: unknown): string | undefined {
  return /^image\/(\w+)/.exec(textOf(mediaType))?.[1]
}

export function sizeOf(width: unknown, height: unknown): string | undefined {
  return Number.isInteger(width) && Number.isInteger(height) ? `${width}x${height}` : undefined
}

export function secondsOf(created: unknown): number | undefined {
  const seconds = typeof created === 'string' ? Date.parse(created) / 1000 : created
  return typeof seconds === 'number' && Number.isFinite(seconds) ? Math.floor(seconds) : undefined
}

/** The provider withheld the image, before or after generating it. */
export function moderated(reason: unknown): UpstreamProblem {
  const message = textOf(reason)
  return new UpstreamProblem('content_policy', message || 'the provider withheld the image because of its content')
}

export function failed(reason: unknown): UpstreamProblem {
  return new UpstreamProblem('server_error', textOf(reason) || 'the provider failed to make the image')
}

export function nonsense(what: string): UpstreamProblem {
  return new UpstreamProblem('garbage', `the provider answered with ${what}`)
}
