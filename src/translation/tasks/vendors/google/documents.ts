import Type, { type Static } from '../../../../base/schema/type.ts'
import type { TaskFile, Tools } from '../../feature.ts'
import { acceptFile } from '../../inputs/accept-file.ts'
import { askForJson } from '../../http/ask-provider.ts'
import { Poly } from './vision.ts'
import { base64Of } from '../../http/inline-file.ts'
import { type Fields, jsonPayload } from '../../http/payload.ts'
import { replyReader } from '../../http/reply-reader.ts'

// https://cloud.google.com/document-ai/docs/reference/rest/v1/projects.locations.processors/process. A processor belongs to the
// operator: its id is part of the service's address.

const ACCEPTED = {
  types: ['application/pdf', 'image/gif', 'image/tiff', 'image/jpeg', 'image/png', 'image/bmp', 'image/webp'],
  megabytes: 30,
  pages: 30,
}

/** Google writes large numbers as texts and omits zeros. */
const Offset = Type.Optional(Type.Union([Type.String(), Type.Integer()]))
const Layout = Type.Object({
  textAnchor: Type.Optional(
    Type.Object({ textSegments: Type.Optional(Type.Array(Type.Object({ startIndex: Offset, endIndex: Offset }))) }),
  ),
  confidence: Type.Optional(Type.Number()),
  boundingPoly: Type.Optional(Poly),
})
const Cell = Type.Object({
  layout: Type.Optional(Layout),
  rowSpan: Type.Optional(Type.Integer()),
  colSpan: Type.Optional(Type.Integer()),
})
const Rows = Type.Optional(Type.Array(Type.Object({ cells: Type.Optional(Type.Array(Cell)) })))
const Table = Type.Object({ headerRows: Rows, bodyRows: Rows })
const READING = {
  type: Type.Optional(Type.String()),
  mentionText: Type.Optional(Type.String()),
  normalizedValue: Type.Optional(Type.Object({ text: Type.Optional(Type.String()) })),
  confidence: Type.Optional(Type.Number()),
}
const Property = Type.Object(READING)
const Entity = Type.Object({ ...READING, properties: Type.Optional(Type.Array(Property)) })

const readReply = replyReader(
  Type.Object({
    document: Type.Object({
      text: Type.Optional(Type.String()),
      pages: Type.Optional(Type.Array(Type.Object({ tables: Type.Optional(Type.Array(Table)) }))),
      entities: Type.Optional(Type.Array(Entity)),
    }),
  }),
)

export type DocumentCell = Static<typeof Cell>
export type DocumentTable = Static<typeof Table>
export type DocumentEntity = Static<typeof Property>

export async function processDocument(tools: Tools, service: string, inputFile: TaskFile, params: Fields) {
  const file = acceptFile(inputFile, ACCEPTED)
  const rawDocument = { content: await base64Of(file), mimeType: file.type }
  const payload = jsonPayload({ ...params, rawDocument })
  return await askForJson(tools, { service, path: ':process', payload }, readReply)
}

/** The text of a part of a document, which is a range of the whole text. */
export function textOf(layout: Static<typeof Layout> | undefined, text: string): string {
  const segments = layout?.textAnchor?.textSegments ?? []
  return segments
    .map(({ startIndex, endIndex }) => text.slice(Number(startIndex ?? 0), Number(endIndex ?? 0)))
    .join('')
    .trim()
}

/** A value as printed, or normalized if that says more. */
export function textValue({ mentionText = '', normalizedValue }: DocumentEntity): string {
  return normalizedValue?.text || mentionText
}
