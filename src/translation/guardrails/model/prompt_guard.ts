import Type from '../../../base/schema/type.ts'
import { optional } from '../../../base/schema/fields.ts'
import { isRecord } from '../../../base/schema/record.ts'
import { closedParams } from '../../hooks/closed-params.ts'
import { tryParse } from '../../json/try-parse.ts'
import { modelCheck, NOTHING_FOUND } from '../check.ts'
import { modelName } from '../fields.ts'
import { UnreadableVerdict } from '../reply-reader.ts'

// A classifier behind a chat endpoint. Servers answer with the probability of an attack, with a label, or with both.

const THRESHOLD = 0.5
const MAX_TOKENS = 20
const HARMLESS = /^(benign|safe|label_0)$/i
const ATTACK = /^(malicious|injection|jailbreak|unsafe|label_[12])$/i

export default modelCheck({
  description:
    'Asks a Prompt Guard model, on any server that the gateway has as a provider, whether a text is an attack on a model. It is trained ' +
    'for the obvious attacks, and misses others.',
  params: closedParams({
    model: modelName('The model, as `provider/model` or an alias, such as `groq/meta-llama/llama-prompt-guard-2-86m`.'),
    threshold: optional(
      Type.Number({ minimum: 0, maximum: 1 }),
      'The probability from which a text counts as an attack.',
      { default: THRESHOLD },
    ),
  }),
  // The model reads 512 tokens and no more. A text of 500 characters hardly ever has as many, whatever is in it.
  maxChars: 500,
  maxTexts: 1,
  async run([checked], { model, threshold }, tools) {
    if (!checked) return NOTHING_FOUND
    const messages = [{ role: 'user' as const, content: checked.text }]
    const answer = await tools.chat({ model, messages, fields: { max_tokens: MAX_TOKENS } })
    return probabilityIn(answer) >= (threshold ?? THRESHOLD) ? { found: ['prompt_attack'] } : NOTHING_FOUND
  },
})

function probabilityIn(answer: string): number {
  const value = tryParse(answer) ?? answer.trim()
  const [label, score] = isRecord(value) ? [value.label, value.score] : [value, undefined]
  const certainty = typeof score === 'number' && score >= 0 && score <= 1 ? score : 1
  if (typeof label === 'number' && label >= 0 && label <= 1) return label
  if (typeof label === 'string' && ATTACK.test(label)) return certainty
  if (typeof label === 'string' && HARMLESS.test(label)) return 1 - certainty
  throw new UnreadableVerdict('the model answers with something other than a probability or a label')
}
