import { problem } from '../contract/problems.ts'

const TOO_DEEP = 'The provider answered with JSON that is nested too deeply.'
/** After this much text of a top-level list, such as vectors, other work gets its turn. */
const BATCH_CHARS = 256 * 1024

/** An answer that is nested too deeply to be serialized again is treated as a failure of the provider. */
export function writeJson(answer: object): string {
  try {
    return JSON.stringify(answer)
  } catch (error) {
    if (error instanceof RangeError) throw problem('upstream_error', { message: TOO_DEEP })
    throw error
  }
}

/** Writes the same text as writeJson, but waits for a turn between batches of the elements of top-level lists. */
export async function writeJsonInSteps(answer: object, nextSlot: () => Promise<void>): Promise<string> {
  const members: string[] = []
  for (const [name, value] of Object.entries(answer)) {
    const text = Array.isArray(value) ? await writeListInSteps(value, nextSlot) : writeJson(value)
    if (text !== undefined) members.push(`${JSON.stringify(name)}:${text}`)
  }
  return `{${members.join()}}`
}

async function writeListInSteps(values: readonly unknown[], nextSlot: () => Promise<void>): Promise<string> {
  const texts: string[] = []
  let chars = 0
  for (const value of values) {
    const text = writeJson(value as object) ?? 'null'
    texts.push(text)
    chars += text.length
    if (chars < BATCH_CHARS) continue
    chars = 0
    await nextSlot()
  }
  return `[${texts.join()}]`
}
