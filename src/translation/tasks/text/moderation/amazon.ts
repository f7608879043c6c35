import Type from '../../../../base/schema/type.ts'
import { askAmazon } from '../../vendors/amazon/client.ts'
import { billedCharacters } from '../../inputs/billed-characters.ts'
import { COMPREHEND_METER } from '../../vendors/amazon/comprehend.ts'
import { contentFinding } from '../../results/content-finding.ts'
import { declined } from '../../http/declined.ts'
import { replyReader } from '../../http/reply-reader.ts'
import { adapter } from '../../feature.ts'
import { worstOf } from '../../fields/likelihood.ts'
import moderation from './feature.ts'

// https://docs.aws.amazon.com/comprehend/latest/APIReference/API_DetectToxicContent.html. English only.

const SEGMENT_BYTES = 1_000
const MAX_SEGMENTS = 10

const readReply = replyReader(
  Type.Object({
    ResultList: Type.Array(
      Type.Object({
        Labels: Type.Array(Type.Object({ Name: Type.String(), Score: Type.Number() })),
        Toxicity: Type.Number(),
      }),
    ),
  }),
)

export default adapter(moderation, async (task, tools) => {
  const { text } = task.input
  const fields = { ...task.params, TextSegments: segmentsOf(text), LanguageCode: 'en' }
  const original = await askAmazon(tools, 'comprehend.DetectToxicContent', fields, readReply)
  const scores = original.ResultList.flatMap(({ Labels, Toxicity }) => [...Labels, { Name: 'TOXIC', Score: Toxicity }])
  const items = [...worstScores(scores)].map(([label, value]) => contentFinding(label, value))
  return { output: { ...worstOf(items), items }, original, units: billedCharacters(text, COMPREHEND_METER) }
})

/** A text gets the score of its worst part. */
function worstScores(scores: { Name: string; Score: number }[]): Map<string, number> {
  const worst = new Map<string, number>()
  for (const { Name, Score } of scores) worst.set(Name, Math.max(Score, worst.get(Name) ?? 0))
  return worst
}

/** Amazon accepts ten short segments at a time; none may begin or end inside of a character. */
function segmentsOf(text: string): { Text: string }[] {
  const segments = ['']
  for (const character of text) {
    const size = Buffer.byteLength(segments.at(-1)!) + Buffer.byteLength(character)
    if (size > SEGMENT_BYTES) segments.push(character)
    else segments[segments.length - 1] += character
  }
  if (segments.length <= MAX_SEGMENTS) return segments.map((Text) => ({ Text }))
  throw declined(
    `this provider accepts texts of up to ${SEGMENT_BYTES * MAX_SEGMENTS} bytes for this task`,
    422,
    'text_too_long',
  )
}
