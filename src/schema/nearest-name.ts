// Finds the name that somebody probably meant: a command, a flag, a setting, a provider.

const MAX_CHARS = 100

/** The sentence to append to an error, or an empty text if no known name is similar. */
export function didYouMean(name: string, known: Iterable<string>, prefix = ''): string {
  const nearest = nearestName(name, known)
  return nearest === undefined ? '' : ` Did you mean ${prefix}${nearest}?`
}

/** The known name with the fewest typing mistakes between it and this one; undefined if there are too many for a typo. */
export function nearestName(name: string, known: Iterable<string>): string | undefined {
  const written = plain(name)
  if (written === '' || name.length > MAX_CHARS) return undefined
  const ranked = Array.from(known, (one) => ({ one, mistakes: mistakesBetween(written, plain(one)) }))
    .filter(({ one, mistakes }) => mistakes <= allowedIn(plain(one)))
    .sort((a, b) => a.mistakes - b.mistakes)
  return ranked[0]?.one ?? onlyContinuation(written, [...known])
}

/** Case and separators are often mixed up: `base_url` is as near to `baseUrl` as it can be. */
function plain(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9]/g, '')
}

function allowedIn({ length }: string): number {
  return length <= 3 ? 1 : length <= 8 ? 2 : 3
}

/** `doc` means `doctor` if nothing else begins like it. */
function onlyContinuation(written: string, known: readonly string[]): string | undefined {
  const longer = written.length < 3 ? [] : known.filter((one) => plain(one).startsWith(written))
  return longer.length === 1 ? longer[0] : undefined
}

/** How many characters have to be added, removed, replaced or swapped with their neighbour. */
function mistakesBetween(one: string, other: string): number {
  let beforeLast: number[] = []
  let last = Array.from({ length: other.length + 1 }, (_, index) => index)
  for (let i = 1; i <= one.length; i++) {
    const row = [i]
    for (let j = 1; j <= other.length; j++) {
      const replaced = last[j - 1]! + Number(one[i - 1] !== other[j - 1])
      const isSwap = i > 1 && j > 1 && one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1]
      const swapped = isSwap ? beforeLast[j - 2]! + 1 : replaced
      row.push(Math.min(last[j]! + 1, row[j - 1]! + 1, replaced, swapped))
    }
    beforeLast = last
    last = row
  }
  return last[other.length]!
}
