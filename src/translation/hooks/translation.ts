import Type, { type Static } from '../../base/schema/type.ts'
import { optional, words } from '../../base/schema/fields.ts'
import { problem } from '../../contract/problems.ts'
import { closedParams } from './closed-params.ts'
import type { PreTools } from './hook.ts'
import { providerParams, taskOf } from './task-params.ts'

const MAX_TEXTS = 100
const AT_ONCE = 4

const language = () => Type.String({ minLength: 2, maxLength: 35, examples: ['en', 'pt-BR'] })

const TRANSLATION = {
  ...providerParams,
  target_language: Type.String({ ...language(), description: 'The language to translate to, as an ISO code.' }),
  source_language: optional(language(), 'The language to translate from; detected if absent.'),
}

export const AnswerTranslation = closedParams(TRANSLATION)
export type AnswerTranslation = Static<typeof AnswerTranslation>

export const RequestTranslation = closedParams({
  ...TRANSLATION,
  messages: optional(
    words(['new', 'all']),
    'What to translate: the messages after the last answer of the model, or the whole conversation. System prompts are not translated.',
    { default: 'all' },
  ),
})

export const translationTask = (params: AnswerTranslation) => taskOf('translation/automatic_translation', params)

/** Translates every text once, a few at a time. */
export async function translate(
  texts: readonly string[],
  params: AnswerTranslation,
  tools: PreTools,
): Promise<Map<string, string>> {
  const pending = [...new Set(texts)].filter((text) => text.trim() !== '')
  if (pending.length > MAX_TEXTS) throw tooMany(tools)
  const translated = new Map<string, string>()
  await Promise.all(Array.from({ length: AT_ONCE }, work))
  return translated

  async function work() {
    for (let text = pending.shift(); text !== undefined; text = pending.shift()) {
      translated.set(text, await translateOne(text, params, tools))
    }
  }
}

async function translateOne(text: string, params: AnswerTranslation, tools: PreTools): Promise<string> {
  const { target_language, source_language } = params
  const input = { text, target_language, ...(source_language && { source_language }) }
  return ((await tools.task(translationTask(params), input)) as { text: string }).text
}

function tooMany({ loc }: PreTools) {
  const msg = `More than ${MAX_TEXTS} texts to translate: translate only the new messages`
  return problem('validation_error', { message: msg, detail: [{ loc, msg, type: 'value_error' }] })
}
