import { distanceWithin, MAX_COMPARED_CHARS } from './distance.ts'

// Finds the name that the user probably meant: a command, a flag, a setting, a provider.

/** The sentence to append to an error, or an empty text if no known name is similar. */
export function didYouMean(name: string, names: Iterable<string>, prefix = ''): string {
  const nearest = nearestName(name, names)
  return nearest === undefined ? '' : ` Did you mean ${prefix}${nearest}?`
}

/** The known name with the fewest typing mistakes between it and this one; undefined if there are too many for a typo. */
export function nearestName(name: string, names: Iterable<string>): string | undefined {
  const written = plain(name)
  if (written === '' || name.length > MAX_COMPARED_CHARS) return undefined
  const ranked = Array.from(names, (one) => ({ one, mistakes: mistakesBetween(written, plain(one)) }))
    .filter(({ mistakes }) => mistakes !== undefined)
    .sort((a, b) => a.mistakes! - b.mistakes!)
  return ranked[0]?.one ?? onlyContinuation(written, [...names])
}

function mistakesBetween(written: string, candidate: string): number | undefined {
  return distanceWithin(written, candidate.slice(0, MAX_COMPARED_CHARS), allowedIn(candidate))
}

/** Case and separators are often mixed up: `base_url` is as near to `baseUrl` as it can be. */
function plain(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9]/g, '')
}

function allowedIn({ length }: string): number {
  return length <= 2 ? 1 : length <= 8 ? 2 : 3
}

/** `doc` means `doctor` if nothing else begins like it. */
function onlyContinuation(written: string, names: readonly string[]): string | undefined {
  const longer = written.length < 3 ? [] : names.filter((one) => plain(one).startsWith(written))
  return longer.length === 1 ? longer[0] : undefined
}
