import type { CheckedText, Verdict } from './check.ts'

/** Names what stands in place of a piece of a text. */
type NamePlaceholder = (text: string, rule: string) => string

/** The texts without what was found; undefined if that cannot be: the check does not say where, or it stands in a text that is fixed. */
export function withoutFound(
  texts: readonly CheckedText[],
  { spans, texts: rewritten }: Verdict,
  name: NamePlaceholder,
): CheckedText[] | undefined {
  if (!spans && !rewritten) return undefined
  const changed = texts.map((checked, index) => {
    const text = rewritten ? rewritten[index]! : replaced(checked.text, spans![index] ?? [], name)
    return text === checked.text ? checked : { ...checked, text }
  })
  const isPossible = changed.every((checked, index) => checked === texts[index] || !checked.isFixed)
  return isPossible && changed.some((checked, index) => checked !== texts[index]) ? changed : undefined
}

type Spans = NonNullable<Verdict['spans']>[number]

function replaced(text: string, spans: Spans, name: NamePlaceholder): string {
  let result = ''
  let at = 0
  for (const { from, to, rule } of spans) {
    result += text.slice(at, from) + name(text.slice(from, to), rule)
    at = to
  }
  return result + text.slice(at)
}

/** `EMAIL_ADDRESS` for the rules `EMAIL_ADDRESS` and `email/address`. */
export function placeholderOf(rule: string): string {
  const words = rule.toUpperCase().match(/[A-Z0-9]+/g) ?? ['REDACTED']
  return words.join('_').slice(0, MAX_PLACEHOLDER_CHARS)
}

const MAX_PLACEHOLDER_CHARS = 40
