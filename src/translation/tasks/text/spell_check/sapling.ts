import Type, { type Static } from '../../../../base/schema/type.ts'
import { mapOf } from '../../../../base/schema/fields.ts'
import { askForJson } from '../../http/ask-provider.ts'
import { offsetsIn } from '../../inputs/code-points.ts'
import { primaryLanguage } from '../../inputs/language-tags.ts'
import { jsonPayload } from '../../http/payload.ts'
import { replyReader } from '../../http/reply-reader.ts'
import { SAPLING_PROOF } from '../../vendors/sapling.ts'
import { adapter } from '../../feature.ts'
import { namedLanguage } from '../../fields/language.ts'
import { measuredUnits } from '../../measured-units.ts'
import spellCheck from './feature.ts'

// https://sapling.ai/docs/api/spellcheck. Positions are in code points.

const Offset = Type.Integer({ minimum: 0 })

const Edit = Type.Object({
  sentence_start: Offset,
  start: Offset,
  end: Offset,
  replacement: Type.String(),
})

const readReply = replyReader(
  Type.Object({ edits: Type.Array(Edit), candidates: Type.Optional(mapOf(Type.Array(Type.String()))) }),
)

export default adapter(spellCheck, async (task, tools) => {
  const { text, language } = task.input
  const hints = {
    session_id: 'gatehouse',
    multiple_edits: true,
    lang: primaryLanguage(namedLanguage(language)) ?? 'auto',
  }
  const payload = jsonPayload({ ...hints, ...task.params, text, key: undefined })
  const original = await askForJson(tools, { path: '/spellcheck', payload, proof: SAPLING_PROOF }, readReply)
  const offsetOf = offsetsIn(text)
  const items = original.edits.map((edit) => toItem(text, edit, offsetOf, original.candidates ?? {}))
  return { output: { text, items }, original, units: measuredUnits(spellCheck, task) }
})

function toItem(
  whole: string,
  { sentence_start, start, end, replacement }: Static<typeof Edit>,
  placeOf: (characters: number) => number,
  candidates: Record<string, string[]>,
) {
  const offset = placeOf(sentence_start + start)
  const text = whole.slice(offset, placeOf(sentence_start + end))
  const others = Object.hasOwn(candidates, text) ? candidates[text]! : []
  const suggestions = [...new Set([replacement, ...others])].map((suggestion) => ({ suggestion, score: null }))
  return { text, type: null, offset, length: text.length, suggestions }
}
