import Type, { type Static } from '../../../../base/schema/type.ts'
import { analysisOf, Polygon } from './documents.ts'

const Span = Type.Object({ offset: Type.Integer(), length: Type.Integer() })
const Word = Type.Object({
  content: Type.String(),
  polygon: Polygon,
  confidence: Type.Optional(Type.Number()),
  span: Span,
})
const Line = Type.Object({ content: Type.String(), polygon: Polygon, spans: Type.Array(Span) })
const Page = Type.Object({
  width: Type.Optional(Type.Number()),
  height: Type.Optional(Type.Number()),
  words: Type.Optional(Type.Array(Word)),
  lines: Type.Optional(Type.Array(Line)),
})

/** The result of `prebuilt-read`. */
export const pollReading = analysisOf(Type.Object({ content: Type.String(), pages: Type.Array(Page) }))

export type ReadPage = Static<typeof Page>
type ReadLine = Static<typeof Line>
type ReadWord = Static<typeof Word>

export function wordsOf({ spans }: ReadLine, { words = [] }: ReadPage): ReadWord[] {
  return words.filter(({ span }) => {
    return spans.some(({ offset, length }) => span.offset >= offset && span.offset < offset + length)
  })
}
