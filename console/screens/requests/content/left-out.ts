/** The marks that the gateway leaves where it did not keep something. */
const MARKS = {
  cut: /… \[cut, it had \d+ characters\]$/,
  bytes: /\[[\w.+/-]+, \d+ bytes\]/,
  hidden: /^\[hidden\]$/,
  omitted: /^\[omitted\]$/,
}

const SENTENCES: Record<keyof typeof MARKS, (count: number) => string> = {
  cut: (count) => `${texts(count)} cut: the end is missing, and a mark says how long the text was.`,
  bytes: (count) =>
    `${texts(count)} about images, files or audio: the gateway keeps their type and size, never their bytes.`,
  hidden: (count) => `${texts(count)} hidden to protect credentials.`,
  omitted: (count) => `${texts(count)} left out, because this request had more than the gateway keeps of one request.`,
}

/** What is missing in a content, in sentences. */
export function leftOut(...values: readonly unknown[]): string[] {
  const found = values.flatMap(textsIn)
  return Object.entries(MARKS).flatMap(([kind, mark]) => {
    const { length } = found.filter((text) => mark.test(text))
    return length > 0 ? [SENTENCES[kind as keyof typeof MARKS](length)] : []
  })
}

function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  if (typeof value !== 'object' || value === null) return []
  return Object.values(value).flatMap(textsIn)
}

function texts(count: number): string {
  return count === 1 ? 'One text is' : `${count} texts are`
}
