import type { FastifyRequest } from 'fastify'
import { type Labels, labelsOf, listedTags, MAX_TAGS } from '../calls/labels.ts'
import { originOf } from '../calls/origin/origin.ts'
import { ORIGINAL_TAGS_HEADER, readTags, TAGS_HEADER } from './tags-header.ts'

/** What a request says about itself, in its headers and in its body, as far as that was parsed. */
export function labelsOfRequest(request: FastifyRequest, body: unknown): Labels {
  return labelsOf(body, tagsOf(request), originOf(request.headers, body))
}

/** Tags of the header win over those that the body has in the words of another gateway, and an object `tags` over the header. */
function tagsOf({ headers, otherWords, bodyTags }: FastifyRequest): Labels['tags'] {
  const ofHeader = withMore(headerTags(headers), bodyTags)
  return otherWords && otherWords.tags.length > 0 ? listedTags(otherWords.tags, ofHeader ?? {}).tags : ofHeader
}

/** Both spellings of the header may be there. */
function headerTags(headers: FastifyRequest['headers']): Labels['tags'] {
  const original = headers[ORIGINAL_TAGS_HEADER]
  const ours = readTags(headers[TAGS_HEADER])
  if (original === undefined) return ours
  const pairs = Object.entries(readTags(original, ORIGINAL_TAGS_HEADER) ?? {})
  return withMore(Object.fromEntries(pairs.map(([name, value]) => [name.toLowerCase(), value])), ours ?? undefined)
}

function withMore(tags: Labels['tags'], more: Labels['tags'] | undefined): Labels['tags'] {
  if (!more) return tags
  return Object.fromEntries(Object.entries({ ...more, ...tags, ...more }).slice(0, MAX_TAGS))
}
