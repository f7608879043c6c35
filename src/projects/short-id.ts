const MAX_CHARS = 60

/** Readable ids for a name: the first one that is free is taken. `Équipe n° 7` becomes `equipe-n-7`, then `equipe-n-7-2`. */
export function* shortIds(name: string, most: number): Generator<string> {
  const plain = name.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase()
  const words = plain.replace(/[^a-z0-9]+/g, '-').slice(0, MAX_CHARS)
  const id = words.replace(/^-+|-+$/g, '') || 'unnamed'
  yield id
  for (let number = 2; number <= most; number++) yield `${id}-${number}`
}
