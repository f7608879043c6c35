import Type, { type Static } from '../../../../base/schema/type.ts'
import { askForJson } from '../../http/ask-provider.ts'
import { jsonPayload } from '../../http/payload.ts'
import { replyReader } from '../../http/reply-reader.ts'
import { adapter } from '../../feature.ts'
import { measuredUnits } from '../../measured-units.ts'
import { score } from '../../fields/score.ts'
import plagiaDetection from './feature.ts'

// https://docs.gowinston.ai/api-reference/v2/plagiarism/post. The title is not used.

const COPIED_ABOVE = 0.5
const Percent = Type.Number({ minimum: 0, maximum: 100 })

const Source = Type.Object({
  url: Type.String(),
  score: Percent,
  plagiarismFound: Type.Array(Type.Object({ sequence: Type.String() })),
})

const readReply = replyReader(Type.Object({ result: Type.Object({ score: Percent }), sources: Type.Array(Source) }))

export default adapter(plagiaDetection, async (task, tools) => {
  const payload = jsonPayload({ ...task.params, text: task.input.text, file: undefined, website: undefined })
  const original = await askForJson(tools, { path: '/plagiarism', payload }, readReply)
  const output = { plagia_score: score(original.result.score / 100), items: passagesOf(original.sources) }
  return { output, original, units: measuredUnits(plagiaDetection, task) }
})

type Candidate = { url: string; plagia_score: number; prediction: string; plagiarized_text: string }

/** Winston lists passages by source; here they are listed once, each with all its sources. */
function passagesOf(sources: Static<typeof Source>[]) {
  const passages = new Map<string, Candidate[]>()
  for (const { url, score: percent, plagiarismFound } of sources) {
    const plagia_score = score(percent / 100)
    const prediction = plagia_score > COPIED_ABOVE ? 'plagiarized' : 'not plagiarized'
    for (const { sequence } of plagiarismFound) {
      const candidate = { url, plagia_score, prediction, plagiarized_text: sequence }
      passages.set(sequence, [...(passages.get(sequence) ?? []), candidate])
    }
  }
  return [...passages].map(([text, candidates]) => ({ text, candidates }))
}
