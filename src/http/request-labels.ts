import type { FastifyRequest } from 'fastify'
import { type Labels, labelsOf, listedTags } from '../calls/labels.ts'
import { originOf } from '../calls/origin/origin.ts'
import { readTags, TAGS_HEADER } from './tags-header.ts'

/** What a request says about itself, in its headers and in its body, as far as that was parsed. */
export function labelsOfRequest(request: FastifyRequest, body: unknown): Labels {
  return labelsOf(body, tagsOf(request), originOf(request.headers, body))
}

/** Tags of the header win over those that the body has in the words of another gateway. */
function tagsOf({ headers, otherWords }: FastifyRequest): Labels['tags'] {
  const ofHeader = readTags(headers[TAGS_HEADER])
  return otherWords && otherWords.tags.length > 0 ? listedTags(otherWords.tags, ofHeader ?? {}).tags : ofHeader
}
