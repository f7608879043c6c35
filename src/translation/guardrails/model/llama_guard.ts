import Type from '../../../base/schema/type.ts'
import { optional, words } from '../../../base/schema/fields.ts'
import { closedParams } from '../../hooks/closed-params.ts'
import { type GuardMessage, modelCheck, NOTHING_FOUND, type Verdict } from '../check.ts'
import { isAnswer, modelName } from '../fields.ts'
import { UnreadableVerdict } from '../reply-reader.ts'

// The answer is `safe`, or `unsafe` and a line with the codes of hazards. The chat template of the server has the list of hazards.

const HAZARDS = {
  S1: 'violent crimes',
  S2: 'other crimes',
  S3: 'sex crimes',
  S4: 'exploitation of children',
  S5: 'defamation',
  S6: 'specialized advice',
  S7: 'privacy',
  S8: 'intellectual property',
  S9: 'weapons of mass destruction',
  S10: 'hate',
  S11: 'suicide and self-harm',
  S12: 'sexual content',
  S13: 'elections',
  S14: 'abuse of code interpreters',
} as const
const CODES = Object.keys(HAZARDS) as (keyof typeof HAZARDS)[]
const MAX_TOKENS = 100

export default modelCheck({
  description:
    'Asks a Llama Guard model, on any server that the gateway has as a provider. It judges requests and answers.',
  params: closedParams({
    model: modelName('The model, as `provider/model` or an alias, such as `groq/meta-llama/llama-guard-4-12b`.'),
    hazards: optional(
      Type.Array(words(CODES), { minItems: 1, maxItems: CODES.length }),
      `The hazards that count: ${CODES.map((code) => `\`${code}\` ${HAZARDS[code]}`).join(', ')}. The default is all.`,
    ),
  }),
  maxChars: 6_000,
  async run(texts, { model, hazards }, tools) {
    const content = texts.map(({ text }) => text).join('\n\n')
    const messages: GuardMessage[] = isAnswer(texts)
      ? [
          { role: 'user', content: 'Continue.' },
          { role: 'assistant', content },
        ]
      : [{ role: 'user', content }]
    return verdictOf(await tools.chat({ model, messages, fields: { max_tokens: MAX_TOKENS } }), hazards ?? undefined)
  },
})

function verdictOf(answer: string, hazards: readonly string[] | undefined): Verdict {
  const [word, ...codes] = answer
    .toUpperCase()
    .split(/[\s,]/)
    .filter((one) => one !== '')
  const isRead = (word === 'SAFE' || word === 'UNSAFE') && codes.every((code) => /^S\d{1,2}$/.test(code))
  if (!isRead) throw new UnreadableVerdict('the model answers with something other than "safe" or "unsafe"')
  if (word === 'SAFE') return NOTHING_FOUND
  const found = codes.length > 0 ? [...new Set(codes)] : ['unsafe']
  const counted = hazards ? found.filter((code) => code === 'unsafe' || hazards.includes(code)) : found
  return counted.length > 0 ? { found: counted } : NOTHING_FOUND
}
