import Type, { type Static } from '../../../base/schema/type.ts'
import { freeObject, optional } from '../../../base/schema/fields.ts'
import { numberAt } from '../results/loose-fields.ts'

// https://docs.tavily.com/documentation/api-reference. It bills credits, and reports how many a task used if the request asks
// for it.

export const TavilyUsage = optional(freeObject(), 'Credits.')

export const TavilyPage = Type.Object({
  url: Type.String(),
  raw_content: optional(Type.String(), 'The text.'),
  title: optional(Type.String(), 'The title.'),
  images: optional(Type.Array(Type.String()), 'Addresses of images.'),
  favicon: optional(Type.String(), 'URL of the icon.'),
})

/** Fractions of a credit are billed too, but units are whole. */
export function tavilyUnits(usage: unknown, guess: number): number {
  return Math.max(1, Math.ceil(numberAt(usage, 'credits') || guess))
}

export function tavilyPage({ url, raw_content, title, images, favicon }: Static<typeof TavilyPage>) {
  return { url, content: raw_content, title, images: images?.map((one) => ({ url: one })), favicon }
}
