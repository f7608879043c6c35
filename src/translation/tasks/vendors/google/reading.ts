import Type, { type Static } from '../../../../base/schema/type.ts'
import type { TaskFile, Tools } from '../../feature.ts'
import { acceptFile } from '../../inputs/accept-file.ts'
import { askForJson } from '../../http/ask-provider.ts'
import { type Box, boxOf } from '../../results/box-of.ts'
import { IMAGE_TYPES, imageAnnotation, Poly } from './vision.ts'
import { base64Of } from '../../http/inline-file.ts'
import { score } from '../../fields/score.ts'
import { type Fields, jsonPayload } from '../../http/payload.ts'
import { abandoned } from '../../http/refusal.ts'
import { replyReader } from '../../http/reply-reader.ts'

// https://cloud.google.com/vision/docs/reference/rest/v1/files/annotate: pictures at once, documents five pages at a time.

const DOCUMENTS = { types: ['application/pdf', 'image/tiff', 'image/gif'], megabytes: 7, pages: 2_000 }
/** The answer for images and for documents. */
const READABLE = { ...DOCUMENTS, types: [...new Set([...IMAGE_TYPES.types, ...DOCUMENTS.types])] }
const PAGES_AT_ONCE = 5
const FEATURE = 'DOCUMENT_TEXT_DETECTION'

const Sign = Type.Object({
  text: Type.Optional(Type.String()),
  property: Type.Optional(
    Type.Object({ detectedBreak: Type.Optional(Type.Object({ type: Type.Optional(Type.String()) })) }),
  ),
})
const Word = Type.Object({
  symbols: Type.Optional(Type.Array(Sign)),
  boundingBox: Type.Optional(Poly),
  confidence: Type.Optional(Type.Number()),
})
const Paragraph = Type.Object({ words: Type.Optional(Type.Array(Word)) })
const Section = Type.Object({ paragraphs: Type.Optional(Type.Array(Paragraph)) })
const Page = Type.Object({
  width: Type.Optional(Type.Number()),
  height: Type.Optional(Type.Number()),
  blocks: Type.Optional(Type.Array(Section)),
})
const Reading = Type.Object({
  fullTextAnnotation: Type.Optional(
    Type.Object({ text: Type.Optional(Type.String()), pages: Type.Optional(Type.Array(Page)) }),
  ),
})

const readImage = imageAnnotation(FEATURE, Reading)
const Failure = Type.Optional(Type.Object({ message: Type.Optional(Type.String()) }))
const readDocument = replyReader(
  Type.Object({
    responses: Type.Array(
      Type.Object({
        error: Failure,
        totalPages: Type.Optional(Type.Integer()),
        responses: Type.Optional(Type.Array(Reading)),
      }),
      { minItems: 1, maxItems: 1 },
    ),
  }),
)

type Reading = Static<typeof Reading>
export type ReadWord = { text: string; box: Box | null; confidence: number; endsLine: boolean }

/** The text on the pages of a file. */
export async function readGoogle(tools: Tools, file: TaskFile, imageContext: Fields | undefined, params: Fields) {
  acceptFile(file, READABLE)
  const readings = DOCUMENTS.types.includes(file.type)
    ? await readPages(tools, file, imageContext, params)
    : [(await readImage(tools, file, {}, { ...params, imageContext })).found]
  return { readings, texts: readings.map((one) => one.fullTextAnnotation?.text ?? ''), pages: readings.map(wordsIn) }
}

async function readPages(tools: Tools, file: TaskFile, imageContext: Fields | undefined, params: Fields) {
  const inputConfig = { content: await base64Of(file), mimeType: file.type }
  const readings: Reading[] = []
  for (let total = 1; readings.length < total; ) {
    const pages = Array.from({ length: PAGES_AT_ONCE }, (_, index) => readings.length + index + 1)
    // Google reports an error for pages beyond the last, so the first request names no pages, which means the first five.
    const request = {
      ...params,
      inputConfig,
      imageContext,
      features: [{ type: FEATURE }],
      pages: total > 1 ? pages.filter((page) => page <= total) : undefined,
    }
    const payload = jsonPayload({ requests: [request] })
    const { responses } = await askForJson(
      tools,
      { service: 'vision', path: '/v1/files:annotate', payload },
      readDocument,
    )
    const { error, totalPages = 0, responses: found = [] } = responses[0]!
    if (error || found.length === 0) throw abandoned(tools, 'not_annotated', error?.message)
    readings.push(...found)
    total = totalPages
  }
  return readings
}

function wordsIn({ fullTextAnnotation }: Reading): ReadWord[] {
  return (fullTextAnnotation?.pages ?? []).flatMap(({ width, height, blocks = [] }) => {
    const words = blocks.flatMap(({ paragraphs = [] }) => paragraphs).flatMap((paragraph) => paragraph.words ?? [])
    return words.map((word) => toWord(word, width, height))
  })
}

function toWord({ symbols = [], boundingBox, confidence = 0 }: Static<typeof Word>, width = 1, height = 1): ReadWord {
  const { normalizedVertices: shares, vertices = [] } = boundingBox ?? {}
  const box = boxOf(shares ?? []) ?? boxOf(vertices, width || 1, height || 1)
  const end = symbols.at(-1)?.property?.detectedBreak?.type
  return {
    text: symbols.map(({ text = '' }) => text).join(''),
    box,
    confidence: score(confidence),
    endsLine: end === 'LINE_BREAK' || end === 'EOL_SURE_SPACE',
  }
}
