import Type, { type Static, type TSchema } from '../../../../base/schema/type.ts'
import type { TaskFile, Tools } from '../../feature.ts'
import { acceptFile } from '../../inputs/accept-file.ts'
import { askForJson } from '../../http/ask-provider.ts'
import { base64Of } from '../../http/inline-file.ts'
import { type Fields, jsonPayload } from '../../http/payload.ts'
import { abandoned } from '../../http/refusal.ts'
import { replyReader } from '../../http/reply-reader.ts'

// https://cloud.google.com/vision/docs/reference/rest/v1/images/annotate

/** A request may have 10 MB, and base64 enlarges a file by a third. */
const MAX_MEGABYTES = 7
export const IMAGE_TYPES = {
  types: [
    'image/jpeg',
    'image/png',
    'image/gif',
    'image/bmp',
    'image/webp',
    'image/x-icon',
    'image/vnd.microsoft.icon',
    'image/tiff',
  ],
  megabytes: MAX_MEGABYTES,
}

const Failure = Type.Optional(Type.Object({ message: Type.Optional(Type.String()) }))
const Vertex = Type.Object({ x: Type.Optional(Type.Number()), y: Type.Optional(Type.Number()) })
export const Poly = Type.Object({
  vertices: Type.Optional(Type.Array(Vertex)),
  normalizedVertices: Type.Optional(Type.Array(Vertex)),
})

/** Creates a function that analyzes an image for one feature. `schema` describes the result; no result is an empty object. */
export function imageAnnotation<Found extends TSchema>(feature: string, found: Found) {
  const readFound = replyReader(found)
  const read = replyReader(
    Type.Object({ responses: Type.Array(Type.Object({ error: Failure }), { minItems: 1, maxItems: 1 }) }),
  )
  return async (tools: Tools, file: TaskFile, more: Fields = {}, params: Fields = {}) => {
    const image = { content: await base64Of(acceptFile(file, IMAGE_TYPES)) }
    const request = { ...params, image, features: [{ type: feature, ...more }] }
    const payload = jsonPayload({ requests: [request] })
    const original = await askForJson(tools, { service: 'vision', path: '/v1/images:annotate', payload }, read)
    const answer = original.responses[0]!
    if (answer.error) throw abandoned(tools, 'not_annotated', answer.error.message)
    return { original, found: readFound(answer) as Static<Found> }
  }
}
