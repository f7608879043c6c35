import { setImmediate } from 'node:timers/promises'
import type { KeptContent } from '../content-draft.ts'
import { mapTexts } from './shown-value.ts'

/** All texts are searched for each of them. */
const MAX_VALUES = 200
const TOO_MANY = '[withheld: a guardrail has replaced too much in it]'

/** What callers got back in place of placeholders becomes placeholders again. `restored`: values by placeholder. */
export async function withPlaceholders(
  content: KeptContent,
  restored: ReadonlyMap<string, string>,
): Promise<KeptContent> {
  if (restored.size > MAX_VALUES) return { ...content, answer: TOO_MANY }
  let { answer } = content
  // A value may be a part of another one.
  for (const [placeholder, value] of [...restored].sort(([, one], [, other]) => other.length - one.length)) {
    answer = mapTexts(answer, (text) => text.replaceAll(value, () => placeholder))
    await setImmediate()
  }
  return { ...content, answer }
}
