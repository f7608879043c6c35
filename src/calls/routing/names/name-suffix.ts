import { HOST_SORTS, type HostSort } from '../../../contract/routing.ts'
import { REGIONS, type Region } from '../../../platform/providers/provider.ts'

/** What the end of a name says about how its model is chosen: `gpt-5:latency`, `gpt-5@eu`, `gpt-5:cost@eu`. */
export type Wish = {
  /** The name without its suffixes. */
  name: string
  sort?: HostSort | undefined
  region?: Region | undefined
}

/** Undefined for a name without a suffix. Models may have a colon or an `@` in their names, followed by other words. */
export function wishIn(name: string): Wish | undefined {
  const wish: Wish = { name }
  while (takeSuffix(wish));
  return wish.name === name ? undefined : wish
}

/** Takes one suffix off the name. Each kind may stand there once, in any order. */
function takeSuffix(wish: Wish): boolean {
  const { name } = wish
  const at = Math.max(name.lastIndexOf(':'), name.lastIndexOf('@'))
  if (at <= 0) return false
  const word = name.slice(at + 1)
  if (name[at] === ':' && wish.sort === undefined && isSort(word)) wish.sort = word
  else if (name[at] === '@' && wish.region === undefined && isRegion(word)) wish.region = word
  else return false
  wish.name = name.slice(0, at)
  return true
}

function isSort(word: string): word is HostSort {
  return HOST_SORTS.some((sort) => sort === word)
}

function isRegion(word: string): word is Region {
  return REGIONS.some((region) => region === word)
}
